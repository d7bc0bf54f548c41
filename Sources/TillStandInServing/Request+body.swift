package import Hummingbird
package import NIOCore

extension Request {
    /// Returns the whole body; `nil` if it is longer than `bytes` or the connection broke. Neither case gets a
    /// response.
    package mutating func collectBody(ifWithin bytes: Int) async -> ByteBuffer? {
        do { return try await collectBody(upTo: bytes) } catch { return nil }
    }
}
