#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges a trace in 8 parts with one scheduler's files, where the scheduler is installed. The third part is killed the first time, and
must be judged again; then the merged report must be that of the whole trace, byte for byte.

check_schedulers.py parallel|slurm|kubernetes VKRACE SCHEDULERS_FOLDER TRACE|WRITER: the sample trace of the program WRITER, or any trace
by hand. Slurm gets a controller and two nodes of its own, at the loopback address. Exit status: 0 as expected, 1 not, 77 skipped.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PARTS = 8
MODELS = "kubernetes-models/batch/v1"
SKIPPED = 77
SLURM = """
ClusterName=loop
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cores}
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cores}
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout.decode()}")
    return done.stdout.decode()


def make_unsteady(vkrace, folder):
    """A folder with a vkrace that is killed as it judges the third part for the first time, behind which it goes on."""
    tools = folder / "tools"
    tools.mkdir()
    script = tools / "vkrace"
    script.write_text(f"""#!/bin/sh
case " $* " in *" --shard 3/{PARTS} "*)
    if mkdir "{folder}/killed" 2>/dev/null; then kill -9 $$; fi ;;
esac
exec "{vkrace}" "$@"
""")
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}


def compare(vkrace, trace, folder, report):
    whole = folder / "whole.json"
    run(vkrace, "report", "--json", "-o", whole, trace)
    if not (folder / "killed").exists():
        sys.exit("no part was killed")
    if whole.read_bytes() != report.read_bytes():
        sys.exit(f"the merged report is another one\n{whole.read_text()}\n{report.read_text()}")


def check_parallel(vkrace, schedulers, trace, folder):
    if not shutil.which("parallel"):
        skip("GNU parallel is not installed")
    report = folder / "report.json"
    run(schedulers / "vkrace-parallel", str(PARTS), folder / "parts", report, trace, "--will-cite", "--jobs", "2",
        env=make_unsteady(vkrace, folder))
    compare(vkrace, trace, folder, report)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_for(what, seconds):
    for _ in range(seconds * 5):
        if what():
            return
        time.sleep(0.2)
    sys.exit("Slurm did not get there in time")


def check_slurm(vkrace, schedulers, trace, folder):
    for tool in ("slurmctld", "slurmd", "sbatch"):
        if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin"):
            skip(f"Slurm's {tool} is not installed")
    if os.getuid() != 0:
        skip("Slurm's nodes want to be root's")
    environment = {**make_unsteady(vkrace, folder), "SLURM_CONF": str(folder / "slurm.conf")}
    environment["PATH"] += ":/usr/sbin"
    for name in ("state", "n1", "n2"):
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(SLURM.format(host=socket.gethostname(), user="root", folder=folder,
                                                    ports=free_ports(3), cores=os.cpu_count()))
    with (folder / "daemons.log").open("w") as log:
        daemons = [subprocess.Popen(command, stdout=log, stderr=log, env=environment)
                   for command in (["slurmctld", "-D"], ["slurmd", "-D", "-N", "n1"], ["slurmd", "-D", "-N", "n2"])]
        try:
            wait_for(lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, check=False,
                                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode(), 60)
            report = folder / "report.json"
            run(schedulers / "vkrace-slurm", str(PARTS), folder / "parts", report, trace, env=environment)
            wait_for(lambda: not run("squeue", "-h", env=environment).strip(), 400)
        finally:
            for daemon in reversed(daemons):
                daemon.terminate()
            for daemon in daemons:
                daemon.wait()
    if not report.exists():
        sys.exit("no report\n" + "\n".join(path.read_text() for path in sorted((folder / "parts").glob("*.log"))))
    compare(vkrace, trace, folder, report)


def check_kubernetes(schedulers):
    if not importlib.util.find_spec("yaml"):
        skip("python3-yaml is not installed")
    import yaml
    parts, merge = yaml.safe_load_all((schedulers / "kubernetes.yaml").read_text())
    container = parts["spec"]["template"]["spec"]["containers"][0]
    counted = {entry["name"]: entry["value"] for entry in container["env"]}["PARTS"]
    if (parts["spec"]["completionMode"] != "Indexed" or str(parts["spec"]["completions"]) != counted or
            "JOB_COMPLETION_INDEX" not in container["args"][0] or merge["kind"] != "Job"):
        sys.exit("kubernetes.yaml is no Indexed Job of that many parts with a Job that merges")
    if not shutil.which("node") or subprocess.run(["node", "-e", f"require('{MODELS}')"], stderr=subprocess.DEVNULL,
                                                  check=False).returncode != 0:
        skip("the schema: npm's kubernetes-models is not in NODE_PATH; the structure is right")
    for document in (parts, merge):
        run("node", "-e", f"new (require('{MODELS}').Job)({json.dumps(document)}).validate()")


def main():
    what, vkrace = sys.argv[1], pathlib.Path(sys.argv[2]).absolute()
    schedulers, source = (pathlib.Path(word).absolute() for word in sys.argv[3:5])
    if what == "kubernetes":
        check_kubernetes(schedulers)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = source
        if source.suffix != ".vkrace":
            trace = folder / "sample.vkrace"
            run(source, trace)
        {"parallel": check_parallel, "slurm": check_slurm}[what](vkrace, schedulers, trace, folder)


main()
