import TillCore
import TillProvider

/// The Content-Security-Policy of the frame with the card fields.
enum CardFramePolicy {
    /// Pages of banks: over TLS, whatever their host; in the sandbox also those of a stand-in on this machine.
    private static func banks(_ mode: PaymentMode) -> [String] {
        mode == .test ? ["https:", "http://127.0.0.1:*", "http://localhost:*"] : ["https:"]
    }

    /// - Parameters:
    ///   - origin: The origin of the page that may show the frame. It has passed `WebOrigin.isSafe`.
    ///   - sources: What the provider's script needs; `nil` for the counter's own fields.
    ///   - nonce: The page's nonce, of letters and digits, if the script uses one.
    static func text(
        around origin: String, sources: ProviderCardFields.Sources?, mode: PaymentMode, nonce: String? = nil
    ) -> String {
        let marked = nonce.map { ["'nonce-\($0)'"] } ?? []
        let images = sources?.images ?? []
        let asksBanks = sources?.asksBanks ?? true
        let frames = (sources?.frames ?? []) + (asksBanks ? CardFramePolicy.banks(mode) : [])
        var parts = [
            "default-src 'none'",
            directive("script-src", ["'self'"] + marked + (sources?.scripts ?? [])),
            directive("style-src", ["'self'"] + marked),
            directive("connect-src", ["'self'"] + (sources?.connections ?? [])),
            directive("frame-src", frames),
        ]
        if !images.isEmpty { parts.append(directive("img-src", images)) }
        parts += ["base-uri 'none'", "form-action 'none'", "frame-ancestors \(origin)"]
        return parts.joined(separator: "; ")
    }

    private static func directive(_ name: String, _ sources: [String]) -> String {
        ([name] + sources).joined(separator: " ")
    }
}
