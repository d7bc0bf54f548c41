import HTTPTypes
import Hummingbird
import Logging
import TillCore

/// What goes with a request from the router to its route. Copies share ``label``, so whoever asked the router can read
/// which route it took, also when the route threw.
struct RouteContext: RequestContext {
    /// Where a context comes from: a counter has no channel to offer, only its log.
    struct Source: RequestContextSource {
        let logger: Logger
        let method: HTTPRequest.Method
    }

    var coreContext: CoreRequestContextStorage
    /// The method that the client sent, also while only the path is matched.
    let method: HTTPRequest.Method

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        method = source.method
    }

    /// The route's template, as metrics and traces name it; `unknown` until one was found.
    var label: String {
        get { coreContext.endpointPath.value ?? "unknown" }
        nonmutating set { coreContext.endpointPath.value = newValue }
    }
}

extension Parameters {
    /// The identifier in an address, its percent signs resolved.
    /// - Throws: ``Problem/notFound`` for what can be no identifier.
    func identifier<Name: Identifier>(_ name: Substring = "id", as type: Name.Type = Name.self) throws(Problem) -> Name
    {
        guard let text = self[name]?.removingURLPercentEncoding(), let identifier = Name(ifValid: text) else {
            throw Problem.notFound
        }
        return identifier
    }

    /// A part of an address, its percent signs resolved.
    /// - Throws: ``Problem/notFound`` for what is not UTF-8.
    func text(_ name: Substring) throws(Problem) -> String {
        guard let text = self[name]?.removingURLPercentEncoding() else { throw Problem.notFound }
        return text
    }

    /// A part of an address that is passed on to a provider in an address of its own: 1 to 128 visible ASCII characters
    /// as they came, without percent signs, so that nothing in them can lead elsewhere.
    /// - Throws: ``Problem/notFound`` for anything else.
    func literal(_ name: Substring = "id") throws(Problem) -> String {
        guard let text = self[name], (1...128).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") })
        else { throw Problem.notFound }
        return String(text)
    }
}

extension Substring {
    /// Percent signs resolved; `nil` if that is not UTF-8.
    func removingURLPercentEncoding() -> String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
