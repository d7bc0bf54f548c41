import TillCore

extension OfflineLog {
    /// Deletes the card data of payments that are resolved with a deletion token, or withdrawn: a new log is written
    /// beside the old one and replaces it once durable. The entries remain with their hashes, so the chain still
    /// verifies.
    /// - Parameter always: compact even if little space is gained.
    /// - Returns: the number of bytes removed.
    @discardableResult
    public func compact(always: Bool = false) throws(OfflineLogError) -> Int {
        try locked { (state) throws(OfflineLogError) in
            let bytes = try removable(state)
            guard bytes > 0, always || (bytes >= OfflineLog.compactionBytes && bytes * 2 >= state.walk.end) else {
                return 0
            }
            do {
                try rewrite(&state)
            } catch {
                state.isStale = true
                throw OfflineLogError(error)
            }
            return bytes
        }
    }

    /// Returns `true` if an entry's data may be deleted: its payment is not pending.
    private func isRemovable(_ scan: FrameScan, _ pending: Set<UInt64>) -> Bool {
        scan.kind == .payment && !scan.isRemoved && !pending.contains(scan.sequence)
    }

    private func removable(_ state: State) throws(OfflineLogError) -> Int {
        let pending = Set(state.walk.book.pending.map(\.sequence))
        var bytes = 0
        try scan(state) { scan, _ in
            if isRemovable(scan, pending) { bytes += scan.payload.count }
        }
        return bytes
    }

    private func rewrite(_ state: inout State) throws {
        let pending = Set(state.walk.book.pending.map(\.sequence))
        guard let fresh = try folder.open(name + ".new", creating: true) else { return }
        try fresh.truncate(to: 0)
        var written = 0
        var waiting: [UInt8] = []
        var failure: DurableFileError?
        try scan(state) { scan, buffer in
            guard failure == nil else { return }
            if isRemovable(scan, pending) {
                waiting += OfflineFrame.magic + [0, 0, 0, 0, 1, 0, 0, 0]
                waiting += buffer[(scan.start + 12)..<(scan.start + OfflineFrame.headBytes)]
                waiting += buffer[scan.payload.upperBound..<scan.end]
            } else {
                waiting += buffer[scan.start..<scan.end]
            }
            guard waiting.count >= 1 << 20 else { return }
            do throws(DurableFileError) { try fresh.write(waiting, at: written) } catch { failure = error }
            written += waiting.count
            waiting = []
        }
        if let failure { throw failure }
        try fresh.write(waiting, at: written)
        try fresh.sync()
        try folder.replace(name, with: name + ".new")
        // The next reader opens the new file and reads it from the beginning.
        state.isStale = true
    }

    private func scan(
        _ state: State, _ body: (FrameScan, UnsafeRawBufferPointer) -> Void
    ) throws(OfflineLogError) {
        var place = 0
        var digest = [UInt8](repeating: 0, count: 32)
        while place < state.walk.end {
            let bytes = try state.file.bytes(at: place, count: min(LogWalk.window, state.walk.end - place))
            let taken = bytes.withUnsafeBytes { buffer in
                var at = 0
                while at < buffer.count,
                    case .whole(let scan) = FrameScan.scan(buffer, at: at, expecting: &digest)
                {
                    body(scan, buffer)
                    at = scan.end
                }
                return at
            }
            guard taken > 0 else { throw .damaged(.changed(sequence: state.walk.next, offset: place)) }
            place += taken
        }
    }
}
