internal import Foundation
package import TillCore

/// The report user of Adyen. Its password is not accepted by any payment API.
package struct AdyenReportConfig: Sendable {
    /// Maximum length of a user name or password, in bytes.
    private static let longest = 256

    let scheme: String
    let authority: String
    /// The value of the `Authorization` header, `Basic …`.
    let authorization: Secret<String>

    /// Creates a configuration.
    /// - Parameters:
    ///   - user: the user name in Adyen's form: `report_123456@Company.Shop`.
    ///   - url: the address of the Customer Area, without a path.
    /// - Throws: ``AdyenConfigError``, which never repeats the input.
    package init(user: String, password: Secret<String>, url: String) throws(AdyenConfigError) {
        func isUsable(_ text: String) -> Bool {
            (1...AdyenReportConfig.longest).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        guard isUsable(user), !user.contains(":") else { throw .unusable("report user") }
        guard isUsable(password.reveal()) else { throw .unusable("report user's password") }
        let parts = url.split(separator: "://", maxSplits: 1).map { $0.lowercased() }
        guard parts.count == 2 else { throw .unusable("address of reports") }
        scheme = parts[0]
        authority = parts[1].hasSuffix("/") ? String(parts[1].dropLast()) : parts[1]
        let isHost = authority.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x3A, 0x5B, 0x5D].contains(byte)
        }
        guard !authority.isEmpty, isHost, scheme == "https" || scheme == "http" else {
            throw .unusable("address of reports")
        }
        guard scheme == "https" || Loopback.isAuthority(authority) else { throw .plainHTTP }
        authorization = Secret("Basic " + Data("\(user):\(password.reveal())".utf8).base64EncodedString())
    }

    /// Returns the address of Adyen's Customer Area, which hosts the reports, by mode.
    package static func url(of mode: PaymentMode) -> String {
        switch mode {
        case .live: "https://ca-live.adyen.com"
        case .test: "https://ca-test.adyen.com"
        }
    }
}
