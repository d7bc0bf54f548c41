import Crypto
import TillCore

/// Walks a log from a position onward, verifies every entry and folds it into a ledger.
struct LogWalk {
    /// Bytes of the file read at a time.
    static let window = 8 << 20

    /// The ledger folded so far.
    var book = OfflineLedger()
    /// The end of the last valid entry.
    var end = 0
    /// The expected sequence of the next entry.
    var next: UInt64 = 0
    /// The hash of the last valid entry.
    var lastHash = [UInt8](repeating: 0, count: 32)
    /// Entries since the device's last signature.
    var sinceCheckpoint = 0
    /// Known marks to verify along the way, by sequence.
    var marks: [UInt64: [UInt8]] = [:]
    /// The reason that the walk ended before the end of the file, if it did.
    var tail: Tail?

    /// The bytes after the last valid entry.
    enum Tail: Hashable {
        /// Bytes that were never durable, to be truncated.
        case torn(from: Int, isIncomplete: Bool)
    }

    /// Reads to the end of the file.
    mutating func run(_ file: any DurableFile) throws(OfflineLogError) {
        tail = nil
        let size = try file.length()
        while end < size {
            let before = end
            let bytes = try file.bytes(at: end, count: min(LogWalk.window, size - end))
            let isLast = end + bytes.count >= size
            var damage: OfflineLogError?
            var stop: FrameScan.Outcome?
            bytes.withUnsafeBytes { buffer in
                do throws(OfflineLogError) { stop = try walk(buffer) } catch { damage = error }
            }
            if let damage { throw damage }
            if case .whole? = stop { continue }
            // An entry that crosses the window is complete in the next one; the longest fits into half of it.
            if case .incomplete? = stop, !isLast, end > before { continue }
            try judgeTail(file, size: size, isIncomplete: { if case .incomplete? = stop { true } else { false } }())
            return
        }
    }

    /// Processes complete entries of a buffer that begins at ``end``.
    private mutating func walk(_ buffer: UnsafeRawBufferPointer) throws(OfflineLogError) -> FrameScan.Outcome {
        var place = 0
        var hash = [UInt8](repeating: 0, count: 32)
        let base = end
        var last: FrameScan.Outcome = .incomplete
        while place < buffer.count {
            last = FrameScan.scan(buffer, at: place, expecting: &hash)
            guard case .whole(let scan) = last else { return last }
            guard scan.sequence == next else {
                throw .damaged(outOfPlace(scan, in: buffer))
            }
            guard buffer[(place + 40)..<(place + 72)].elementsEqual(lastHash) else {
                throw .damaged(.spliced(sequence: next))
            }
            if let known = marks[next], known != hash { throw .damaged(.rewritten(sequence: next)) }
            try take(scan, buffer, offset: base + place)
            lastHash = hash
            next += 1
            place = scan.end
            end = base + place
        }
        return last
    }

    private func outOfPlace(_ scan: FrameScan, in buffer: UnsafeRawBufferPointer) -> LogDamage {
        if scan.sequence < next { return .reordered(expected: next, found: scan.sequence) }
        var digest = [UInt8](repeating: 0, count: 32)
        var place = scan.end
        while case .whole(let later) = FrameScan.scan(buffer, at: place, expecting: &digest) {
            if later.sequence == next { return .reordered(expected: next, found: scan.sequence) }
            place = later.end
            if place >= buffer.count { break }
        }
        return .missing(sequence: next)
    }

    private mutating func take(
        _ scan: FrameScan, _ buffer: UnsafeRawBufferPointer, offset: Int
    ) throws(OfflineLogError) {
        let payload = UnsafeRawBufferPointer(rebasing: buffer[scan.payload])
        sinceCheckpoint += 1
        switch scan.kind {
        case .header:
            guard next == 0 else { throw .damaged(.spliced(sequence: next)) }
            do throws(LogDamage) { book.header = try LogHeader(payload: Array(payload)) } catch {
                throw .damaged(error)
            }
        case .payment:
            if scan.isRemoved {
                book.add(StoredEntry(removed: next, offset: offset))
            } else if let entry = StoredEntry(payload, sequence: next, offset: offset) {
                book.add(entry)
            } else {
                throw .damaged(.changed(sequence: next, offset: offset))
            }
        default:
            guard !scan.isRemoved, let event = OfflineEvent(scan.kind, payload: Array(payload)) else {
                throw .damaged(.changed(sequence: next, offset: offset))
            }
            if case .checkpoint(let checkpoint) = event {
                guard checkpoint.sequence == next &- 1, checkpoint.hash == lastHash, checkpoint.log == book.header?.log,
                    checkpoint.isSigned(by: book.header?.deviceKey ?? [])
                else { throw .damaged(.checkpointForged(sequence: next)) }
                sinceCheckpoint = 0
            }
            if case .resolved(let id, let token, _) = event { try check(token, resolves: id) }
            if case .batched(let content) = event {
                guard content.isSigned(by: book.header?.deviceKey ?? []) else {
                    throw .damaged(.checkpointForged(sequence: next))
                }
            }
            book.evolve(event, sequence: next, offset: offset)
        }
        guard next > 0 || scan.kind == .header else { throw .damaged(.notALog) }
    }

    /// Verifies the deletion token, which is stored in the log so that verification need not trust the device.
    private func check(_ text: String, resolves id: String) throws(OfflineLogError) {
        let damage = OfflineLogError.damaged(.removedWithoutToken(sequence: next))
        guard let header = book.header, let batch = book.batch(id), let receipt = batch.receipt else { throw damage }
        do throws(DeletionTokenError) {
            let token = try DeletionToken(text, signedBy: header.provider.signing)
            try token.check(log: header.log, content: batch.content, decisions: receipt.decisions, at: token.issued)
            guard token.batch == id else { throw .malformed }
        } catch { throw damage }
    }

    /// Judges bytes after the last valid entry. If a later entry shows that this position was durable, it was changed;
    /// otherwise the bytes are the remains of unacknowledged writes after a power loss.
    private mutating func judgeTail(
        _ file: any DurableFile, size: Int, isIncomplete: Bool
    ) throws(OfflineLogError) {
        guard next > 0 else {
            // Not even the first entry is complete. A file that no entry follows was never used.
            throw .damaged(.notALog)
        }
        var place = end + 1
        var digest = [UInt8](repeating: 0, count: 32)
        while place < size {
            let bytes = try file.bytes(at: place, count: min(LogWalk.window, size - place))
            let witness: UInt64? = bytes.withUnsafeBytes { buffer in
                for at in 0..<max(0, buffer.count - 3) where buffer[at] == 0x54 && buffer[at + 1] == 0x4C {
                    if case .whole(let scan) = FrameScan.scan(buffer, at: at, expecting: &digest),
                        scan.syncedSequence >= next
                    {
                        return scan.sequence
                    }
                }
                return nil
            }
            if witness != nil { throw .damaged(.changed(sequence: next, offset: end)) }
            guard place + bytes.count < size else { break }
            place += max(1, bytes.count - OfflineFrame.headBytes)
        }
        if let known = marks.keys.max(), known >= next {
            throw .damaged(
                isIncomplete
                    ? .truncated(expected: known, found: next &- 1) : .changed(sequence: next, offset: end))
        }
        tail = .torn(from: end, isIncomplete: isIncomplete)
    }

    /// Verifies, at the end of the file, that no known entry is missing.
    func checkEnd() throws(OfflineLogError) {
        if let known = marks.keys.max(), known >= next {
            throw .damaged(.rolledBack(expected: known, found: next &- 1))
        }
        if let gone = book.removedUnresolved.min() { throw .damaged(.removedWithoutToken(sequence: gone)) }
    }
}

extension DurableFile {
    func length() throws(OfflineLogError) -> Int {
        do throws(DurableFileError) { return try size() } catch { throw .disk(error) }
    }
    func bytes(at offset: Int, count: Int) throws(OfflineLogError) -> [UInt8] {
        do throws(DurableFileError) { return try read(at: offset, count: count) } catch { throw .disk(error) }
    }
}
