import Crypto

/// The result of scanning for an entry at a position in the file.
struct FrameScan {
    enum Outcome {
        /// A complete entry with a correct hash.
        case whole(FrameScan)
        /// The buffer ends before the entry does.
        case incomplete
        /// Not an entry, or a modified one.
        case broken
    }

    var kind: OfflineFrame.Kind
    var isRemoved: Bool
    var sequence: UInt64
    var syncedSequence: UInt64
    var originalLength: Int
    /// Positions relative to the start of the buffer.
    var start: Int
    var payload: Range<Int>
    var end: Int

    static func scan(_ buffer: UnsafeRawBufferPointer, at start: Int, expecting digest: inout [UInt8]) -> Outcome {
        let left = buffer.count - start
        guard left >= OfflineFrame.headBytes + OfflineFrame.hashBytes else {
            guard left >= 4 else { return .incomplete }
            return buffer[start] == 0x54 && buffer[start + 1] == 0x4C ? .incomplete : .broken
        }
        guard buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self).littleEndian == 0x3152_4C54 else {
            return .broken
        }
        let count = Int(buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self).littleEndian)
        let removed = buffer.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self).littleEndian
        let kindWord = buffer.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self).littleEndian
        let original = buffer.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self).littleEndian
        guard count <= OfflineFrame.mostPayload, removed <= 1, kindWord < 256,
            original <= UInt64(OfflineFrame.mostPayload), removed == 1 ? count == 0 : UInt64(count) == original,
            let kind = OfflineFrame.Kind(rawValue: UInt8(kindWord))
        else { return .broken }
        let end = start + OfflineFrame.headBytes + count + OfflineFrame.hashBytes
        guard end <= buffer.count else { return .incomplete }
        let payload = (start + OfflineFrame.headBytes)..<(start + OfflineFrame.headBytes + count)
        if removed == 0 {
            guard isDigest(of: buffer, payload, at: start + 72, of: buffer, &digest) else { return .broken }
        }
        guard
            isDigest(
                of: buffer, (start + 12)..<(start + OfflineFrame.headBytes), at: payload.upperBound, of: buffer, &digest
            )
        else { return .broken }
        return .whole(
            FrameScan(
                kind: kind, isRemoved: removed == 1,
                sequence: buffer.loadUnaligned(fromByteOffset: start + 24, as: UInt64.self).littleEndian,
                syncedSequence: buffer.loadUnaligned(fromByteOffset: start + 32, as: UInt64.self).littleEndian,
                originalLength: Int(original), start: start, payload: payload, end: end))
    }

    /// Returns `true` if the SHA-256 of a range is stored at `place`. Leaves the hash in `digest`.
    private static func isDigest(
        of buffer: UnsafeRawBufferPointer, _ range: Range<Int>, at place: Int, of other: UnsafeRawBufferPointer,
        _ digest: inout [UInt8]
    ) -> Bool {
        var hasher = SHA256()
        hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[range]))
        return hasher.finalize().withUnsafeBytes { made in
            digest.withUnsafeMutableBytes { $0.copyMemory(from: made) }
            return made.elementsEqual(other[place..<(place + 32)])
        }
    }
}
