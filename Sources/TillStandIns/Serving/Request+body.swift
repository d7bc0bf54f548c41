import Hummingbird
import NIOCore

extension Request {
    /// The whole body; `nil` if it is longer than this many bytes, or its connection broke: neither is a request to
    /// answer.
    mutating func collectBody(ifWithin bytes: Int) async -> ByteBuffer? {
        do { return try await collectBody(upTo: bytes) } catch { return nil }
    }
}
