import Synchronization
package import TillCore

/// A disk in memory that loses its power: what was not synced is kept, lost or scrambled, sector by sector.
package final class PowerLossDisk: DurableFolder {
    static let sector = 512

    private struct Inode {
        var content: [UInt8] = []
        var durable: [UInt8] = []
        var dirty: Set<Int> = []
    }
    private struct State {
        var inodes: [Int: Inode] = [:]
        package var names: [String: Int] = [:]
        var nextInode = 1
        var syncs = 0
        /// Writes that still work before the power goes; `nil`: it stays.
        var writesLeft: Int?
        var failsSync = false
    }
    private let state = Mutex(State())
    /// Syncs are acknowledged and do nothing: a disk that lies.
    private let lies: Bool

    /// An empty disk.
    package init(lies: Bool = false) { self.lies = lies }

    package func open(_ name: String, creating: Bool) throws(DurableFileError) -> (any DurableFile)? {
        let inode = state.withLock { state -> Int? in
            if let inode = state.names[name] { return inode }
            guard creating else { return nil }
            let inode = state.nextInode
            state.nextInode += 1
            state.inodes[inode] = Inode()
            state.names[name] = inode
            return inode
        }
        return inode.map { File(disk: self, inode: $0, name: name) }
    }

    package func replace(_ name: String, with other: String) throws(DurableFileError) {
        try use()
        state.withLock { state in state.names[name] = state.names.removeValue(forKey: other) }
    }

    package func remove(_ name: String) throws(DurableFileError) {
        state.withLock { _ = $0.names.removeValue(forKey: name) }
    }

    /// The power is off: nothing is written any more.
    package var isOff: Bool { state.withLock { ($0.writesLeft ?? 1) <= 0 } }
    package var syncs: Int { state.withLock { $0.syncs } }
    package func failSyncs(_ fails: Bool) { state.withLock { $0.failsSync = fails } }
    package func losePower(afterWrites count: Int?) { state.withLock { $0.writesLeft = count } }

    package func bytes(_ name: String) -> [UInt8] {
        state.withLock { state in state.names[name].flatMap { state.inodes[$0]?.content } ?? [] }
    }
    package func put(_ bytes: [UInt8], as name: String) {
        state.withLock { state in
            let inode = state.names[name] ?? state.nextInode
            state.nextInode += 1
            state.names[name] = inode
            state.inodes[inode] = Inode(content: bytes, durable: bytes)
        }
    }
    package var names: [String] { state.withLock { $0.names.keys.sorted() } }

    /// The power is gone and comes back.
    package func losePower(_ random: inout some RandomNumberGenerator) {
        state.withLock { state in
            state.writesLeft = nil
            for (inode, file) in state.inodes {
                var left = file.durable
                let size = Int.random(
                    in: min(file.durable.count, file.content.count)...max(file.durable.count, file.content.count),
                    using: &random)
                left += Array(repeating: 0, count: max(0, size - left.count))
                left.removeLast(left.count - size)
                for sector in file.dirty {
                    let start = sector * PowerLossDisk.sector
                    let end = min(start + PowerLossDisk.sector, left.count)
                    guard start < end else { continue }
                    switch UInt8.random(in: 0...3, using: &random) {
                    case 0, 1:
                        for place in start..<end where place < file.content.count { left[place] = file.content[place] }
                    case 2: break
                    default: for place in start..<end { left[place] = UInt8.random(in: 0...255, using: &random) }
                    }
                    // What was durable in the sector before is not harmed by a write behind it.
                    for place in start..<max(start, min(end, file.durable.count)) { left[place] = file.durable[place] }
                }
                state.inodes[inode] = Inode(content: left, durable: left)
            }
        }
    }

    private func use() throws(DurableFileError) {
        let isOff = state.withLock { state in
            guard let left = state.writesLeft else { return false }
            state.writesLeft = left - 1
            return left <= 0
        }
        if isOff { throw DurableFileError(operation: "write", reason: "the power is off") }
    }

    private final class File: DurableFile {
        let disk: PowerLossDisk
        let inode: Int
        let name: String

        init(disk: PowerLossDisk, inode: Int, name: String) {
            self.disk = disk
            self.inode = inode
            self.name = name
        }

        func size() -> Int { disk.state.withLock { $0.inodes[inode]?.content.count ?? 0 } }
        func read(at offset: Int, count: Int) -> [UInt8] {
            disk.state.withLock { state in
                let content = state.inodes[inode]?.content ?? []
                guard offset < content.count else { return [] }
                return Array(content[offset..<min(content.count, offset + count)])
            }
        }
        func write(_ bytes: [UInt8], at offset: Int) throws(DurableFileError) {
            try disk.use()
            disk.state.withLock { state in
                guard var file = state.inodes[inode] else { return }
                if file.content.count < offset + bytes.count {
                    file.content += Array(repeating: 0, count: offset + bytes.count - file.content.count)
                }
                file.content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
                if !bytes.isEmpty {
                    for sector in (offset / sector)...((offset + bytes.count - 1) / sector) {
                        file.dirty.insert(sector)
                    }
                }
                state.inodes[inode] = file
            }
        }
        func truncate(to size: Int) throws(DurableFileError) {
            try disk.use()
            disk.state.withLock { state in
                guard var file = state.inodes[inode] else { return }
                if size < file.content.count { file.content.removeLast(file.content.count - size) }
                state.inodes[inode] = file
            }
        }
        func sync() throws(DurableFileError) {
            try disk.use()
            let fails = disk.state.withLock { state -> Bool in
                if state.failsSync { return true }
                state.syncs += 1
                if disk.lies { return false }
                guard var file = state.inodes[inode] else { return false }
                file.durable = file.content
                file.dirty = []
                state.inodes[inode] = file
                return false
            }
            if fails { throw DurableFileError(operation: "sync", reason: "no space left on the disk") }
        }
        func lock() {}
        func unlock() {}
        func isCurrent() -> Bool { disk.state.withLock { $0.names[name] == inode } }
        private var sector: Int { PowerLossDisk.sector }
    }
}
