# SPDX-License-Identifier: Apache-2.0
"""A Python that has imported TVM already, for tests that build much.

    python forked_python.py SOCKET CLIENT

serves until its standard input ends. CLIENT becomes a program that takes the
command line of a Python, `CLIENT SCRIPT ARGUMENT...`, and has the server fork
a process for it, which runs the script in the folder and with the streams of
the client and ends with its exit status. Importing TVM takes longer than most
builds.
"""
import array
import os
import runpy
import signal
import socket
import stat
import sys

CLIENT = r"""#!%s -SsE
import array, os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(%r)
text = b"\0".join(os.fsencode(a) for a in [os.getcwd()] + sys.argv[1:])
s.sendmsg([len(text).to_bytes(4, "little")],
          [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1, 2]))])
s.sendall(text)
status = s.recv(1)
sys.exit(status[0] if status else 70)
"""


def serve_one(conn):
    """In a process of its own: one script to its end."""
    fds = array.array("i")
    head, ancillary, _, _ = conn.recvmsg(4, socket.CMSG_SPACE(2 * fds.itemsize))
    for _, _, data in ancillary:
        fds.frombytes(data[:2 * fds.itemsize])
    want, text = int.from_bytes(head, "little"), b""
    while len(text) < want:
        text += conn.recv(want - len(text))
    words = [os.fsdecode(w) for w in text.split(b"\0")]
    child = os.fork()
    if child == 0:
        os.dup2(fds[0], 1)
        os.dup2(fds[1], 2)
        os.chdir(words[0])
        sys.argv = words[1:]
        status = 0
        try:
            runpy.run_path(words[1], run_name="__main__")
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status & 255)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):  # a crash: the client tells it in its own way
        conn.sendall(bytes([os.WEXITSTATUS(status)]))


def main(path, client):
    import tvm  # noqa: F401 pylint: disable=unused-import
    import numpy  # noqa: F401 pylint: disable=unused-import
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(16)
    with open(client, "w", encoding="utf-8") as file:
        file.write(CLIENT % (sys.executable, path))
    os.chmod(client, os.stat(client).st_mode | stat.S_IXUSR)
    if os.fork() == 0:
        while True:
            conn, _ = listener.accept()
            if os.fork() == 0:
                serve_one(conn)
                os._exit(0)
            conn.close()
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass
    print("ready", flush=True)
    sys.stdin.read()
    os.killpg(0, signal.SIGTERM)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: forked_python.py SOCKET CLIENT")
    os.setpgid(0, 0)
    main(sys.argv[1], sys.argv[2])
