"""A disk as it may look after the power failed: what was synced is there, the rest is as luck has it.

power_loss.c, loaded into the process, writes down each write, cut, name and sync in the journal's folder. From that
`Disk` makes the folder again at any point. SQLite's own assumption about disks is kept (a sector that is not written
does not change), its luxuries are not: sectors of one write survive one by one, in any order, or as noise.
"""
import os
import pathlib
import struct

import counter

SECTOR = 512
# How a disk may treat what was not synced.
LUCK = ("lost", "kept", "some", "noise")


def recorder(folder):
    """The library to load, built once."""
    return counter.library("power_loss", folder)


class Record:
    """What one process did to its folder, in order."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    @property
    def size(self):
        """The place now: what was recorded before it has happened already."""
        return self.path.stat().st_size if self.path.exists() else 0

    def __iter__(self):
        """(place, kind, file, offset, bytes) of each record, and the place of the end of the last."""
        data, place = self.path.read_bytes(), 0
        while place + 32 <= len(data):
            kind, file, offset, length = struct.unpack_from("4Q", data, place)
            end = place + 32 + (length if chr(kind) in "NWU" else 0)
            if end > len(data):
                break
            yield place, chr(kind), file, offset, data[place + 32 : end]
            place = end


class File:
    """What surely is on the disk, and what was done since."""

    def __init__(self, synced=b"", exists=False):
        self.synced, self.pending, self.exists = bytearray(synced), [], exists

    def do(self, content, change, keep):
        kind, offset, data = change
        if kind == "T":
            if keep("cut") == "new":
                del content[offset:]
                content.extend(bytes(offset - len(content)))
            return
        for start in range(0, len(data), SECTOR):
            piece = data[start : start + SECTOR]
            fate = keep("sector")
            if fate == "old":
                continue
            at = offset + start
            if len(content) < at + len(piece):
                content.extend(bytes(at + len(piece) - len(content)))
            content[at : at + len(piece)] = piece if fate == "new" else os.urandom(len(piece))

    def sync(self, before):
        for number, change in self.pending:
            if number < before:
                self.do(self.synced, change, lambda _: "new")
        self.pending = [p for p in self.pending if p[0] >= before]
        self.exists = True

    def after_the_cut(self, dice, luck):
        def keep(what):
            if luck in ("lost", "kept"):
                return "old" if luck == "lost" else "new"
            if luck == "noise" and what == "sector":
                return dice.choice(("old", "new", "noise"))
            return dice.choice(("old", "new"))

        content = bytearray(self.synced)
        for _, change in self.pending:
            self.do(content, change, keep)
        return content


class Disk:
    """The folder at one point of a record. `start` is what was there, synced, before."""

    def __init__(self, start=None):
        self.names, self.durable, self.files, self.number = {}, {}, {}, 0
        self.folders = set()
        for name, content in (start or {}).items():
            self.names[name] = self.durable[name] = File(content, exists=True)

    def play(self, kind, file, offset, data, folder):
        """One more record."""
        if kind == "N":
            name = os.path.relpath(data.decode(), folder)
            if name == ".":
                self.folders.add(file)
            else:
                self.files[file] = self.names.setdefault(name, File())
        elif kind == "U":
            self.names.pop(os.path.relpath(data.decode(), folder), None)
        elif kind == "S" and file in self.folders:
            self.durable = dict(self.names)
        elif kind == "S" and file in self.files:
            self.files[file].sync(offset)
        elif kind in "WT" and file in self.files:
            self.files[file].pending.append((self.number, (kind, offset, data)))
        self.number += 1

    def write(self, target, dice, luck):
        """The folder as the next start finds it. Shared memory and lock files do not outlive the power."""
        target = pathlib.Path(target)
        target.mkdir(parents=True, exist_ok=True)
        names = dict(self.names if luck == "kept" else self.durable)
        if luck in ("some", "noise"):
            for name in set(self.names) | set(self.durable):
                side = dice.choice((self.names, self.durable))
                names.pop(name, None)
                if name in side:
                    names[name] = side[name]
        contents = {}
        for name, file in names.items():
            if not name.endswith("-shm"):
                contents[name] = bytes(file.after_the_cut(dice, luck))
                (target / name).write_bytes(contents[name])
        return contents
