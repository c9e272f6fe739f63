/*
 * kernel - system calls without the C library, whose functions of these names are libmilter/'s
 *
 * They set errno as the C library does.  The thread sanitizer does not watch them: it would report
 * descriptors that it did not see opened.  Any thread.
 */
#ifndef MLMILTER_SYSTEM_KERNEL_H
#define MLMILTER_SYSTEM_KERNEL_H

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

int kernel_accept(int fd, struct sockaddr *address, socklen_t *length);
ssize_t kernel_read(int fd, void *buffer, size_t n);
ssize_t kernel_writev(int fd, const struct iovec *parts, int count);
ssize_t kernel_receive(int fd, void *buffer, size_t n, int flags);
ssize_t kernel_send(int fd, const void *bytes, size_t n, int flags);
int kernel_close(int fd);

/* Acknowledges at once the bytes that came over TCP. The kernel forgets it: call it each time. */
void kernel_acknowledge(int fd);

#endif
