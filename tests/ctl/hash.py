#!/usr/bin/env python3
"""mlmilterctl hash: known answers, and what it refuses."""

import os

from known import vectors
from mailboxes import maildir
from tap import case, check, equal, main
from tool import FOLDER, HASH, REV1, TURNBULL, answers, file

LARGE = "X: 1\n" * 5001 + "Message-ID: <a@b>\n\n"


@case("libcrypto without SHA-1: the error names libcrypto, exit status 71 (RULINGS 94)")
def libcrypto_fails():
    os.environ["OPENSSL_CONF"] = file("fips.cnf", "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = fips=yes\n")
    try:
        said = answers(["hash", "--id", "<a@b>"], "", 71, "")
    finally:
        del os.environ["OPENSSL_CONF"]
    check("error: libcrypto: " in said and "memory" not in said, said)


@case("hash: known answers, of messages and of --id (SU-01, SU-03, SU-13, RULINGS 104)")
def hash_known_answers():
    for value, known in vectors("message_id_hash"):
        expected = known.split(" ")[-1]
        if known[0] == "~":
            continue
        for eol in ("\n", "\r\n"):
            text = ("Subject: x\nMESSAGE-ID:%s\nMessage-ID: <later@x>\n\nMessage-ID: <body@x>\n"
                    % value).replace("\n", eol)
            answers(["hash"], text, 0, expected + "\n")
        if value:
            answers(["hash", "--id", value], "", 0, expected + "\n")
    answers(["hash", "--id", "aardvark"], "", 0, "75E2XSUXAFQGWANWEROVQ7JGYMNWHJBT\n")


@case("hash: a file, standard input as -, no configuration file needed (SU-13)")
def hash_of_a_file():
    path = file("turnbull.eml", TURNBULL)
    for args, message in ((["hash", path], ""), (["hash", "-"], TURNBULL), (["-c", "/nonexistent/x.conf", "hash"], TURNBULL)):
        answers(args, message, 0, HASH + "\n")
    answers(["hash", os.path.join(FOLDER, "absent.eml")], "", 71, "")
    answers(["hash", FOLDER], "", 65, "")
    box = maildir("box", {"cur/1:2,S": TURNBULL.encode(), "new/2": b"Message-ID: b\n\n"})
    equal(answers(["hash", box], "", 0, HASH + "\n"),
          "mlmilterctl: %s has more messages: mlmilterctl map prints the hashes of all\n" % box)
    os.remove(os.path.join(box, "new", "2"))
    os.symlink("/nonexistent", os.path.join(box, "new", "2"))
    answers(["hash", box], "", 0, HASH + "\n")


@case("hash --rev1: both fields as they stand (R1-01, R1-07)")
def hash_rev1():
    answers(["hash", "--rev1"], TURNBULL, 0, REV1 + "\n")
    answers(["hash", "--rev1"], "Date: a\nMessage-ID: b\nDate: c\n", 0, "NQCZNOFMMCIZCGA2SBIX2UOAWSDPEN4Z\n")


@case("hash: - and exit status 1 where there is nothing to hash (RULINGS 54)")
def hash_of_nothing():
    for args, message, why in (
            ([], "Subject: x\n\nMessage-ID: <a@b>\n", "there is no hash: the message has no Message-ID"),
            ([], "", "there is no header field"), ([], "\nMessage-ID: <a@b>\n", "there is no header field"),
            ([], LARGE, "the header is over 1048576 bytes or 5000 fields, which no list takes"),
            (["--rev1"], "Message-ID: <a@b>\n", "there is no hash: the message has no Date"),
            (["--rev1"], "Date: x\n", "there is no hash: the message has no Message-ID")):
        equal(answers(["hash"] + args, message, 1, "-\n"), "mlmilterctl: %s\n" % why)
    check(" bytes or 5000 fields" in answers(["hash"], TURNBULL + LARGE, 0, HASH + "\n"), "RULINGS 97")


@case("hash of an mbox: the first message's, and a word that there are more (F18)")
def hash_of_mbox():
    one = "From x\n" + TURNBULL + "\nbody\n"
    answers(["hash"], ">From y\n" + TURNBULL, 0, HASH + "\n")  # quoted by an older mailbox
    equal(answers(["hash"], one, 0, HASH + "\n"), "")
    equal(answers(["hash"], one + "\nFrom here on\n", 0, HASH + "\n"),
          "mlmilterctl: standard input has more messages: mlmilterctl map prints the hashes of all\n")


@case("hash --normalize: letter case, 0 and 1 (SU-14)")
def hash_normalize():
    answers(["hash", "--normalize", "  jjIGKPKB6CVDX6B2CUG4IHAJRIQ10UTP \t"], "", 0, HASH + "\n")
    for wrong in ("", HASH[:-1], HASH + "A", HASH[:-1] + "8", HASH[:-1] + "\u00e9", HASH[:15] + " " + HASH[16:]):
        answers(["hash", "--normalize", wrong], "", 1, "")


main()
