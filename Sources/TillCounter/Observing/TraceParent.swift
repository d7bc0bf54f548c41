package import HTTPTypes
import Tracing

/// A caller's trace context (W3C Trace Context), which makes a payment traceable across shop, till and provider.
///
/// It is forwarded to providers unchanged. An installed tracer reads and writes the headers itself and takes
/// precedence.
package struct TraceParent: Hashable, Sendable {
    /// The maximum `tracestate` length in bytes; a longer one is dropped, as the standard allows.
    static let maximumStateBytes = 512

    /// 32 hex digits, not all zero.
    package let traceID: String
    /// The header as received.
    package let header: String
    /// `tracestate`, if present.
    package let state: String?

    /// Parses the header; `nil` if it is malformed: a new trace starts then.
    package init?(_ header: String, state: String? = nil) {
        let bytes = Array(header.utf8)
        func isHex(_ range: Range<Int>) -> Bool {
            bytes[range].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        guard bytes.count >= 55, bytes.count <= 128, isHex(0..<2), isHex(3..<35), isHex(36..<52), isHex(53..<55),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") })
        else { return nil }
        let version = bytes[0..<2]
        // Version 00 ends here; a later one may continue after another dash, and ff is invalid.
        guard bytes.count == 55 || (!version.elementsEqual("00".utf8) && bytes[55] == UInt8(ascii: "-")),
            !version.elementsEqual("ff".utf8), bytes[3..<35].contains(where: { $0 != 0x30 }),
            bytes[36..<52].contains(where: { $0 != 0x30 })
        else { return nil }
        self.header = header
        self.traceID = String(decoding: bytes[3..<35], as: UTF8.self)
        self.state = state.flatMap { $0.utf8.count <= TraceParent.maximumStateBytes ? $0 : nil }
    }

    /// Parses the headers of a request.
    package init?(_ fields: HTTPFields) {
        guard let header = fields.value(of: TraceParent.headerName) else { return nil }
        self.init(header, state: fields.value(of: TraceParent.stateName))
    }

    static let headerName = HTTPField.Name.literal("traceparent")
    static let stateName = HTTPField.Name.literal("tracestate")
}

extension ServiceContext {
    /// The caller's trace context.
    package var traceParent: TraceParent? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }

    /// The ID of the request being served.
    package var requestID: String? {
        get { self[RequestIDKey.self] }
        set { self[RequestIDKey.self] = newValue }
    }
}

private enum TraceParentKey: ServiceContextKey {
    typealias Value = TraceParent
}

private enum RequestIDKey: ServiceContextKey {
    typealias Value = String
}

/// Gives a tracer access to header fields.
package struct HTTPFieldsCarrier: Extractor, Injector {
    package init() {}

    package func extract(key: String, from carrier: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { carrier[$0] }
    }

    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
        if let name = HTTPField.Name(key) { carrier[name] = value }
    }
}
