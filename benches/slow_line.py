#!/usr/bin/env python3
"""A desk on a slow line: how long a key takes to be seen when the terminal reads 9,600 bytes a second.

    benches/slow_line.py target/release/perpdeck [--rate 9600] [--keys 20] [--size 200x60]

Starts `demo` in a pseudo-terminal that is read at this rate only, presses one key every few seconds, and prints the time and
the bytes from the key to the frame that shows it, and the bytes of an idle second. Linux; needs pyte (`pip install pyte`).
"""

import argparse
import fcntl
import os
import pty
import signal
import statistics
import struct
import tempfile
import termios
import time

import pyte

# Reads of the line in a second.
READS = 50


class Line:
    """A terminal that is read slowly. Output of the desk waits in the pseudo-terminal until it is read."""

    def __init__(self, program, size, rate):
        columns, rows = size
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.rate, self.read = rate, 0
        home = tempfile.mkdtemp()
        self.process, self.file = pty.fork()
        if self.process == 0:
            environment = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "PERPDECK_TOUR": "false"}
            time.sleep(0.2)
            os.execve(program, [program, "demo"], environment)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.set_blocking(self.file, False)

    def take(self, seconds, until=lambda: False):
        """Reads for so long, at the rate; stops early at `until`. Returns the seconds it took."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            begun = time.monotonic()
            try:
                data = os.read(self.file, self.rate // READS)
            except BlockingIOError:
                data = b""
            self.read += len(data)
            self.stream.feed(data)
            if until():
                break
            time.sleep(max(0, 1 / READS - (time.monotonic() - begun)))
        return time.monotonic() - start

    def marked_row(self):
        """The row of the cursor in the pane of positions, if one is on the screen."""
        for row in range(12):
            if self.screen.buffer[row][1].data == "▌":
                return row
        return None

    def press(self, key, expected):
        before = self.read
        os.write(self.file, key)
        took = self.take(20, lambda: self.marked_row() == expected)
        return took, self.read - before


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--rate", type=int, default=9600)
    arguments.add_argument("--keys", type=int, default=20)
    arguments.add_argument("--size", default="200x60")
    chosen = arguments.parse_args()
    size = tuple(map(int, chosen.size.split("x")))
    line = Line(os.path.abspath(chosen.program), size, chosen.rate)
    try:
        line.take(15)
        first = line.marked_row()
        if first is None:
            raise SystemExit("no position is marked: is the desk on the screen?")
        before = line.read
        line.take(10)
        print(f"idle second: {(line.read - before) / 10:.0f} B")
        pressed = []
        for number in range(chosen.keys):
            key, expected = (b"j", first + 1) if number % 2 == 0 else (b"k", first)
            pressed.append(line.press(key, expected))
            line.take(2.0 + 0.37 * (number % 4))
        took = [seconds for seconds, _ in pressed]
        count = [bytes_read for _, bytes_read in pressed]
        print(f"key to the frame that shows it: median {statistics.median(took):.2f} s, most {max(took):.2f} s")
        print(f"bytes until then: median {statistics.median(count):.0f}, most {max(count)}")
    finally:
        os.kill(line.process, signal.SIGKILL)


main()
