#!/usr/bin/env python3
"""A desk under load: key latency and processor time with 1,000 working orders, 20 markets and a deep book.

    benches/load.py target/release/perpdeck [--seconds 30] [--orders 1000] [--changes 10]

Starts `serve` with 20 markets whose prices move ten times a second, places the orders (half of them in the shown market,
each at a price of its own, so that its book has as many levels), starts a desk of 200x60 on it in a pseudo-terminal, and
then replaces orders so many times a second while one key is pressed ten times a second. Prints the time from a key to the
first byte after it, and the processor time of the desk alone. Linux and the standard library only.
"""

import argparse
import fcntl
import http.client
import json
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

MARKETS = 20
# Virtual time takes a step every 250 ms: 2.5 times as fast as real time is ten steps a second.
SPEED = "2.5"


def scenario():
    text = "seed = 1\nfixed_keys = true\n"
    for market in range(MARKETS):
        text += (
            f'[[markets]]\nsymbol = "M{market:02}"\nsize_decimals = 3\nmax_leverage = 40\nstart_price = "{1000 + market}"\n'
            "volatility_bps = 5000\ndepth_usd = 120000\n"
        )
    rate = "{ burst = 1000000, per_second = 1000000 }"
    return text + (
        '[[users]]\nname = "load"\n[[users.accounts]]\nid = "load"\ncash_usd = 100000000\n'
        "[users.accounts.rules]\ncooldown_ms = 0\nmax_daily_loss_bps = 9000\nmax_drawdown_bps = 9000\n"
        f"max_account_leverage = 100\n[budgets]\nper_key = {rate}\nper_address = {rate}\nwhole = {rate}\n"
    )


class Exchange:
    def __init__(self, program, home):
        path = os.path.join(home, "load.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(scenario())
        command = [program, "serve", "--scenario", path, "--speed", SPEED, "--output", "json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(home))
        said = json.loads(self.process.stdout.readline())
        self.base_url, account = said["base_url"], said["accounts"][0]
        self.account, self.key = account["account_id"], account["api_key"]
        self.keys = 0
        self.connection = http.client.HTTPConnection(self.base_url.removeprefix("http://"))

    def call(self, method, target, body=None):
        self.keys += 1
        headers = {"Authorization": f"Bearer {self.key}", "Idempotency-Key": f"load-{self.keys}"}
        self.connection.request(method, target, body and json.dumps(body), headers)
        response = self.connection.getresponse()
        answer = response.read()
        if response.status >= 300:
            sys.exit(f"{method} {target}: {response.status} {answer.decode()}")
        return json.loads(answer)

    def place(self, market, price):
        body = {
            "account_id": self.account, "market_id": f"paper|M{market:02}", "side": "buy", "size": 0.01, "leverage": 10,
            "margin_mode": "cross", "type": "limit", "limit_price": price,
        }
        return self.call("POST", "/v1/orders", body)["data"]["id"]

    def fill(self, count):
        """Half of the orders in the first market, each at a price of its own; the others in all markets."""
        def place(number):
            market = 0 if number % 2 == 0 else number % MARKETS
            return market, self.place(market, 300 + number * 0.5)
        return [place(number) for number in range(count)]


def environment(home, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PERPDECK")}
    return kept | {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home, "TERM": "xterm-256color"} | more


class Desk:
    def __init__(self, program, home, exchange):
        env = environment(
            home, PERPDECK_BASE_URL=exchange.base_url, PERPDECK_API_KEY=exchange.key, PERPDECK_ACCOUNT_ID=exchange.account
        )
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(program, [program], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))

    def drain(self, seconds):
        """Reads for so long; the bytes and the frames."""
        size, frames, end = 0, 0, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                data = os.read(self.fd, 1 << 20)
                size, frames = size + len(data), frames + data.count(b"\x1b[?2026l")
        return size, frames

    def press(self, key):
        """Seconds from the key to the first byte after it."""
        while select.select([self.fd], [], [], 0)[0]:
            os.read(self.fd, 1 << 20)
        began = time.monotonic()
        os.write(self.fd, key)
        if not select.select([self.fd], [], [], 1)[0]:
            return 1.0
        return time.monotonic() - began

    def processor(self):
        """Seconds of processor time so far."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/schedstat", encoding="utf-8") as file:
                total += int(file.read().split()[0])
        return total / 1e9


def change(exchange, orders, rate, done):
    """Cancels an order and places it anew, so many times a second."""
    number = 0
    while not done.wait(1 / rate):
        market, order = orders[number % len(orders)]
        exchange.call("DELETE", f"/v1/orders/{order}")
        orders[number % len(orders)] = (market, exchange.place(market, 300 + number % 1000 * 0.5))
        number += 1


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("program")
    asked.add_argument("--seconds", type=float, default=30)
    asked.add_argument("--orders", type=int, default=1000)
    asked.add_argument("--changes", type=float, default=10)
    asked = asked.parse_args()
    program = os.path.abspath(asked.program)
    with tempfile.TemporaryDirectory() as home:
        exchange = Exchange(program, home)
        try:
            orders = exchange.fill(asked.orders)
            desk = Desk(program, home, exchange)
            # The panes fill; then the working orders have the keys.
            desk.drain(5)
            desk.press(b"2")
            desk.drain(1)
            done = threading.Event()
            changes = threading.Thread(target=change, args=(exchange, orders, asked.changes, done), daemon=True)
            changes.start()
            began, before = time.monotonic(), desk.processor()
            size, frames = desk.drain(asked.seconds)
            idle = (desk.processor() - before) / (time.monotonic() - began)
            began, before, keys = time.monotonic(), desk.processor(), []
            while time.monotonic() - began < asked.seconds:
                keys.append(desk.press(b"j" if len(keys) // 20 % 2 == 0 else b"k") * 1000)
                desk.drain(0.1)
            busy = (desk.processor() - before) / (time.monotonic() - began)
            done.set()
            changes.join()
            keys.sort()
            print(f"{asked.orders} working orders, {asked.changes:g} replaced a second, {MARKETS} markets moving at 10 Hz")
            print(f"no key: {100 * idle:.1f} % of a core, {frames / asked.seconds:.1f} frames and {size / asked.seconds:.0f} B a second")
            print(
                f"{len(keys)} keys, ten a second: {100 * busy:.1f} % of a core; to the first byte median "
                f"{statistics.median(keys):.1f} ms, 99 % {keys[int(len(keys) * 0.99)]:.1f} ms, longest {keys[-1]:.1f} ms"
            )
            os.kill(desk.pid, signal.SIGTERM)
            os.close(desk.fd)
        finally:
            exchange.process.terminate()
            exchange.process.wait()


if __name__ == "__main__":
    main()
