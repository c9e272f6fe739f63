/* kernel - see kernel.h: Linux */
#include "system/kernel.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/syscall.h>
#include <unistd.h>

int kernel_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return (int)syscall(SYS_accept4, fd, address, length, 0);
}

ssize_t kernel_read(int fd, void *buffer, size_t n)
{
    return syscall(SYS_read, fd, buffer, n);
}

ssize_t kernel_writev(int fd, const struct iovec *parts, int count)
{
    return syscall(SYS_writev, fd, parts, count);
}

ssize_t kernel_receive(int fd, void *buffer, size_t n, int flags)
{
    return syscall(SYS_recvfrom, fd, buffer, n, flags, NULL, NULL);
}

ssize_t kernel_send(int fd, const void *bytes, size_t n, int flags)
{
    return syscall(SYS_sendto, fd, bytes, n, flags, NULL, 0);
}

int kernel_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

void kernel_acknowledge(int fd)
{
    static const int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}
