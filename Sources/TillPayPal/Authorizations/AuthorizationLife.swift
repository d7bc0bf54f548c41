public import TillCore

/// The lifetime of a PayPal authorization: honor period, renewal window, expiration.
///
/// Based on PayPal's documentation; the expiration is always the server's own `expiration_time` if known.
public struct AuthorizationLife: Hashable, Sendable {
    /// The period in which the issuer honors the hold.
    public static let honorPeriod: Span = .days(3)
    /// The period in which a hold can be captured at all.
    public static let validity: Span = .days(29)
    /// The lead times of the warnings before each deadline.
    public static let warnings: [Span] = [.days(1), .hours(4)]

    /// The time of the original hold, from which a renewed hold counts, too.
    public let created: Timestamp
    /// The time of the renewal.
    public let renewed: Timestamp?
    /// The expiration reported by the server, else computed from ``validity``.
    public let expires: Timestamp
    /// The end of the honor period as far as reported by the server, else computed from ``honorPeriod``.
    public let honoredUntil: Timestamp

    public init(
        created: Timestamp, renewed: Timestamp? = nil, expires: Timestamp? = nil, honoredUntil: Timestamp? = nil
    ) {
        self.created = created
        self.renewed = renewed
        let end = expires ?? created.adding(AuthorizationLife.validity)
        self.expires = end
        self.honoredUntil = min(honoredUntil ?? (renewed ?? created).adding(AuthorizationLife.honorPeriod), end)
    }

    /// Creates the lifetime of a payment's hold; `nil` if there is no hold.
    public init?(_ payment: Payment) {
        guard let attempt = payment.currentAttempt, let hold = attempt.authorization, !hold.isCaptured else {
            return nil
        }
        let renewal = payment.renewals.last { $0.attempt == attempt.id && $0.state.isSucceeded }
        self.init(
            created: attempt.heldSince ?? attempt.startedAt, renewed: renewal?.startedAt, expires: hold.captureBefore,
            honoredUntil: hold.honoredUntil)
    }

    /// The phase of a hold.
    public enum Phase: Hashable, Sendable {
        /// The issuer honors the hold until then.
        case honored(until: Timestamp)
        /// The hold can be captured, but the issuer may decline; renew it first.
        case renewable(until: Timestamp)
        /// The hold can be captured, but the issuer may decline, and it was already renewed.
        case lapsed(until: Timestamp)
        /// Expired: a new payment is needed.
        case expired
    }

    /// Returns the phase at a given time.
    public func phase(at now: Timestamp) -> Phase {
        if now >= expires { return .expired }
        if now < honoredUntil { return .honored(until: honoredUntil) }
        return renewed == nil ? .renewable(until: expires) : .lapsed(until: expires)
    }

    /// Rejects a renewal that PayPal would refuse: too early, too late, or a second one.
    /// - Throws: ``AuthorizationLifeError``.
    public func checkRenewal(at now: Timestamp) throws(AuthorizationLifeError) {
        guard renewed == nil else { throw .renewedBefore }
        switch phase(at: now) {
        case .honored(let until): throw .tooEarly(until)
        case .renewable: return
        case .lapsed: throw .renewedBefore
        case .expired: throw .tooLate(expires)
        }
    }

    /// A warning about an approaching deadline.
    public struct Alarm: Hashable, Sendable {
        public var at: Timestamp
        public var sentence: String
    }

    /// The warnings of the hold, in chronological order.
    public var alarms: [Alarm] {
        var alarms: [Alarm] = []
        for span in AuthorizationLife.warnings {
            let back = Span(milliseconds: -span.milliseconds)
            alarms.append(
                Alarm(
                    at: honoredUntil.adding(back),
                    sentence: "The bank honors the hold until \(honoredUntil.internetTime): capture it before that."))
            alarms.append(
                Alarm(
                    at: expires.adding(back),
                    sentence: "The hold ends at \(expires.internetTime): capture it, or the money is free again."))
        }
        return alarms.filter { $0.at >= created }.sorted { $0.at < $1.at }
    }

    /// Returns the latest warning that is due.
    public func alarm(at now: Timestamp) -> Alarm? {
        if now >= expires { return Alarm(at: expires, sentence: "The hold has ended: a new payment is needed.") }
        return alarms.last { $0.at <= now && ($0.at >= honoredUntil || now < honoredUntil) }
    }
}

/// An error for a hold that cannot be renewed.
public enum AuthorizationLifeError: ExplainedError, Hashable {
    /// The issuer still honors the hold.
    case tooEarly(Timestamp)
    case tooLate(Timestamp)
    /// PayPal renews a hold only once, and a renewed hold never.
    case renewedBefore
    /// There is no hold.
    case nothingHeld

    public var code: String {
        switch self {
        case .tooEarly: "reauthorization_too_early"
        case .tooLate: "authorization_expired"
        case .renewedBefore: "reauthorization_not_supported"
        case .nothingHeld: "nothing_held"
        }
    }

    public var what: String {
        switch self {
        case .tooEarly(let end): "The bank honors the hold until \(end.internetTime); it can be renewed after that."
        case .tooLate(let end): "The hold ended at \(end.internetTime) and cannot be renewed."
        case .renewedBefore: "The hold was renewed before, and PayPal renews a hold once."
        case .nothingHeld: "The payment holds no money at PayPal."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .tooEarly: "Capture it now; no renewal is needed."
        case .tooLate: "Take a new payment."
        case .renewedBefore: "Capture it before it ends."
        case .nothingHeld: "List what is held with `till authorizations list`."
        }
    }
}

/// The amount that may be captured beyond the hold. PayPal's rule differs by region, so it is data.
public struct CaptureLimit: Hashable, Sendable {
    /// The limit in percent of the hold; 115 in most regions.
    public var percent: Int64
    /// The maximum excess, in the currency's minor units.
    public var maximumMore: Money?

    public init(percent: Int64, maximumMore: Money?) {
        self.percent = percent
        self.maximumMore = maximumMore
    }

    /// 115 percent, at most 75 US dollars above the hold.
    package static let unitedStates = CaptureLimit(
        percent: 115, maximumMore: Money(minorUnits: 7500, currency: .usd))

    /// Returns the maximum sum of all captures of a hold.
    /// - Throws: `MoneyError.outOfRange`.
    public func limit(of hold: Money) throws(MoneyError) -> Money {
        let (product, overflow) = hold.minorUnits.multipliedReportingOverflow(by: percent)
        guard !overflow else { throw .outOfRange }
        let byPercent = Money(minorUnits: product / 100, currency: hold.currency)
        guard let maximumMore, maximumMore.currency == hold.currency else { return byPercent }
        let byAmount = try hold.adding(maximumMore)
        return byAmount.minorUnits < byPercent.minorUnits ? byAmount : byPercent
    }
}
