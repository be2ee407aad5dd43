"""A consumer that takes messages, says so, and never comes to its work."""

import sys

from tests.concurrency.client import Client

if __name__ == "__main__":
    port, bearer, queue_id, count, seconds = sys.argv[1:]
    client = Client(int(port), bearer)
    for message in client.receive(queue_id, int(count), visibility_timeout=int(seconds)):
        print(message["message_id"])
    print("leased", flush=True)
    sys.stdin.read()
