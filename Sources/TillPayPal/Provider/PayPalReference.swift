internal import TillPayPalClient
internal import TillCore

/// The journal's reference of an attempt: the order and, once known, its hold or capture, so that a later capture, void
/// or refund needs neither the card nor another query. As text: `ORDER`, `ORDER.A.HOLD`, `ORDER.C.CAPTURE`, and for a
/// renewed hold `ORDER.A.HOLD.R.RENEWED`.
struct PayPalReference: Hashable, Sendable {
    var order: PayPalOrderID
    /// The original hold, used to renew and void.
    var authorization: PayPalAuthorizationID?
    /// The renewal of the hold, used to capture.
    var renewed: PayPalAuthorizationID?
    var capture: PayPalCaptureID?

    init(
        order: PayPalOrderID, authorization: PayPalAuthorizationID? = nil, renewed: PayPalAuthorizationID? = nil,
        capture: PayPalCaptureID? = nil
    ) {
        self.order = order
        self.authorization = authorization
        self.renewed = renewed
        self.capture = capture
    }

    init?(_ reference: ProviderReference?) {
        guard let reference else { return nil }
        let parts = reference.rawValue.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, let order = PayPalOrderID(ifValid: first) else { return nil }
        self.order = order
        switch (parts.count, parts.count > 1 ? parts[1] : "") {
        case (1, _): break
        case (3, "A"):
            guard let id = PayPalAuthorizationID(ifValid: parts[2]) else { return nil }
            authorization = id
        case (5, "A"):
            guard parts[3] == "R", let id = PayPalAuthorizationID(ifValid: parts[2]),
                let renewed = PayPalAuthorizationID(ifValid: parts[4])
            else { return nil }
            authorization = id
            self.renewed = renewed
        case (3, "C"):
            guard let id = PayPalCaptureID(ifValid: parts[2]) else { return nil }
            capture = id
        default: return nil
        }
    }

    var providerReference: ProviderReference {
        let again = renewed.map { ".R.\($0)" } ?? ""
        let part = authorization.map { ".A.\($0)\(again)" } ?? capture.map { ".C.\($0)" } ?? ""
        return ProviderReference(rawValue: "\(order)\(part)")
    }
}
