internal import Crypto
internal import Foundation
public import TillCore

/// Verification of Stripe's webhook signatures ("Check the webhook signatures"): `Stripe-Signature: t=…,v1=…`, where
/// `v1` is HMAC-SHA256 of `t.` and the raw body.
///
/// ```swift
/// let event = try StripeWebhook.verify(
///     payload: body, signatureHeader: header, secrets: [webhookSecret], now: SystemClock().now())
/// if let intent = event.paymentIntent { print("\(event.type): \(intent) is to be queried.") }
/// ```
public enum StripeWebhook {
    /// The maximum body size, in bytes: 256 KiB. Stripe's events are far smaller.
    public static let maximumBytes = 256 << 10
    /// The maximum size of the signature header, in bytes.
    public static let maximumHeaderBytes = 4096

    /// Verifies the signature and parses the event. Its contents are only a hint: query the provider for the actual
    /// state.
    /// - Parameters:
    ///   - payload: the body exactly as received.
    ///   - secrets: `whsec_…`; two during a rotation. Empty ones are skipped.
    ///   - tolerance: the maximum difference between the signature's time and now, against replays.
    /// - Throws: ``StripeWebhookError``.
    public static func verify(
        payload: [UInt8], signatureHeader: String?, secrets: [Secret<String>], now: Timestamp,
        tolerance: Span = .seconds(300)
    ) throws(StripeWebhookError) -> StripeEvent {
        guard payload.count <= maximumBytes else { throw .tooLong }
        let usable = secrets.filter { !$0.reveal().isEmpty }
        guard !usable.isEmpty else { throw .noSecret }
        guard let header = signatureHeader, header.utf8.count <= maximumHeaderBytes else { throw .malformedHeader }
        let (time, seconds, signatures) = try parse(header)
        let signed = Array("\(time).".utf8) + payload
        var isGenuine = false
        for secret in usable {
            let key = SymmetricKey(data: Array(secret.reveal().utf8))
            // No early exit: the duration reveals nothing about which signature matches.
            for signature in signatures
            where HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: key) {
                isGenuine = true
            }
        }
        guard isGenuine else { throw .wrongSignature }
        let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { throw .stale }
        let age = now.since(Timestamp(milliseconds: millis)).milliseconds
        guard age.magnitude <= tolerance.milliseconds.magnitude else { throw .stale }
        guard let document = JSONValue(ifValid: payload), let event = StripeEvent(document) else {
            throw .unreadable
        }
        return event
    }

    private static func parse(
        _ header: String
    ) throws(StripeWebhookError) -> (time: String, seconds: Int64, signatures: [[UInt8]]) {
        var time: String?
        var signatures: [[UInt8]] = []
        for part in header.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let name = pair.first, let value = pair.last else { throw .malformedHeader }
            switch name.drop(while: { $0 == " " }) {
            case "t":
                guard time == nil else { throw .malformedHeader }
                time = String(value)
            case "v1": if value.utf8.count == 64, let bytes = Hex.decode(value) { signatures.append(bytes) }
            default: break
            }
        }
        guard let time, let seconds = Int64(time), !signatures.isEmpty else { throw .malformedHeader }
        return (time, seconds, signatures)
    }
}

/// A reason for the rejection of a webhook.
public enum StripeWebhookError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The body exceeds ``StripeWebhook/maximumBytes``.
    case tooLong
    /// No secret is configured, so no signature can be verified.
    case noSecret
    /// The signature header is missing or malformed.
    case malformedHeader
    /// No signature matches any secret.
    case wrongSignature
    /// Correctly signed, but too old or in the future.
    case stale
    /// Correctly signed, but not an event.
    case unreadable

    /// A one-sentence description for display.
    public var description: String {
        switch self {
        case .tooLong: "The webhook is longer than \(StripeWebhook.maximumBytes) bytes."
        case .noSecret: "No webhook secret is configured."
        case .malformedHeader: "The Stripe-Signature header is missing or has another form."
        case .wrongSignature: "No signature of the webhook matches."
        case .stale: "The webhook's signature is too old or in the future."
        case .unreadable: "The webhook holds no event that can be read."
        }
    }
}
