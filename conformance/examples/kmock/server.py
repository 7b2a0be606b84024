"""Runs the Kubernetes emulator of kmock (pip install kmock) on the port of the first argument."""

import asyncio
import sys

import kmock


async def main():
    async with kmock.KubernetesEmulator() as emulator, kmock.Server(emulator, port=int(sys.argv[1])):
        print(f"listening at port {sys.argv[1]}", flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
