import CTillGzip
import Crypto
import NIOCore
import Synchronization
import TillCore

/// A form in which a file is sent.
struct FileForm: Sendable {
    let body: ByteBuffer
    /// The strong entity tag, in quotes: a digest of the bytes as they are sent, so that each form has its own.
    let tag: String
    /// `true` for `Content-Encoding: gzip`.
    let isGzip: Bool

    init(_ bytes: [UInt8], isGzip: Bool) {
        body = ByteBuffer(bytes: bytes)
        // Half of SHA-256: two files with one tag do not come about by chance.
        tag = "\"" + Hex.lowercase(Array(SHA256.hash(data: bytes).prefix(16))) + "\""
        self.isGzip = isGzip
    }
}

/// The forms of one file: each is made for the first request that wants it, and kept. What is kept is bounded by the
/// file itself. Concurrent first requests wait until one of them has made it, some milliseconds.
final class FileForms: Sendable {
    enum Coding: Sendable {
        case identity
        case gzip
    }

    private let kept = Mutex<[Coding: FileForm]>([:])

    /// Returns the form for a coding; the plain one, too, if gzip makes the file no smaller.
    func form(_ coding: Coding, of content: () -> [UInt8]) -> FileForm {
        kept.withLock { kept in
            if let form = kept[coding] { return form }
            let bytes = content()
            let packed = coding == .gzip ? Gzip.packed(bytes) : nil
            let form = FileForm(packed ?? bytes, isGzip: packed != nil)
            kept[coding] = form
            return form
        }
    }
}

/// Compression by zlib.
enum Gzip {
    /// Returns the bytes as gzip; `nil` if that is not shorter.
    static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 1 else { return nil }
        let packed = [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { room, count in
            let (target, capacity) = (room.baseAddress, room.count)
            count = bytes.withUnsafeBufferPointer { till_gzip($0.baseAddress, $0.count, target, capacity) }
        }
        return packed.isEmpty ? nil : packed
    }
}
