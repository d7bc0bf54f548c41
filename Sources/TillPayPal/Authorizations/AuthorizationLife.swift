public import TillCore

/// The life of a hold at PayPal: how long the money is sure, when it can be renewed, when it ends.
///
/// Data from PayPal's documentation; the end is always the server's own `expiration_time` where it is known.
public struct AuthorizationLife: Hashable, Sendable {
    /// For so long the bank honors the hold.
    public static let honorPeriod: Span = .days(3)
    /// For so long a hold can be captured at all.
    public static let validity: Span = .days(29)
    /// How long before each end a warning is sent.
    public static let warnings: [Span] = [.days(1), .hours(4)]

    /// When the first hold was made. A renewed hold counts from its original.
    public let created: Timestamp
    /// When it was renewed last.
    public let renewed: Timestamp?
    /// When it ends, by the server's word, else by ``validity``.
    public let expires: Timestamp
    /// When the honor period ends, by what is known of the server, else by ``honorPeriod``.
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

    /// The life of the hold of a payment; `nil` if it holds nothing.
    public init?(_ payment: Payment) {
        guard let attempt = payment.currentAttempt, let hold = attempt.authorization, !hold.isCaptured else {
            return nil
        }
        let renewal = payment.renewals.last { $0.attempt == attempt.id && $0.state.isSucceeded }
        self.init(
            created: attempt.heldSince ?? attempt.startedAt, renewed: renewal?.startedAt, expires: hold.captureBefore,
            honoredUntil: hold.honoredUntil)
    }

    /// Where a hold is in its life.
    public enum Phase: Hashable, Sendable {
        /// The bank honors it until then.
        case honored(until: Timestamp)
        /// It can be captured, but the bank may refuse; renew it first.
        case renewable(until: Timestamp)
        /// It can be captured, but the bank may refuse, and it was renewed before.
        case lapsed(until: Timestamp)
        /// Over: a new payment is needed.
        case expired
    }

    /// Where it is at a moment.
    public func phase(at now: Timestamp) -> Phase {
        if now >= expires { return .expired }
        if now < honoredUntil { return .honored(until: honoredUntil) }
        return renewed == nil ? .renewable(until: expires) : .lapsed(until: expires)
    }

    /// Refuses a renewal that PayPal would refuse: too early, too late, or a second one.
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

    /// One thing that somebody should know before it is too late.
    public struct Alarm: Hashable, Sendable {
        public var at: Timestamp
        public var sentence: String
    }

    /// The alarms of the hold, in order of time.
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

    /// The newest alarm that has rung.
    public func alarm(at now: Timestamp) -> Alarm? {
        if now >= expires { return Alarm(at: expires, sentence: "The hold has ended: a new payment is needed.") }
        return alarms.last { $0.at <= now && ($0.at >= honoredUntil || now < honoredUntil) }
    }
}

/// Why a hold cannot be renewed.
public enum AuthorizationLifeError: ExplainedError, Hashable {
    /// The bank honors it still.
    case tooEarly(Timestamp)
    case tooLate(Timestamp)
    /// PayPal renews a hold once, and a renewed one never.
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

    /// What to do next.
    public var next: String {
        switch self {
        case .tooEarly: "Capture it now; no renewal is needed."
        case .tooLate: "Take a new payment."
        case .renewedBefore: "Capture it before it ends."
        case .nothingHeld: "List what is held with `till authorizations list`."
        }
    }
}

/// How much more than the hold may be captured. A rule of PayPal that differs by region, so it is data.
public struct CaptureLimit: Hashable, Sendable {
    /// Percent of the hold; 115 in most places.
    public var percent: Int64
    /// At most so much more, in the currency's minor units.
    public var maximumMore: Money?

    public init(percent: Int64, maximumMore: Money?) {
        self.percent = percent
        self.maximumMore = maximumMore
    }

    /// 115 percent, at most 75 US dollars more.
    package static let unitedStates = CaptureLimit(
        percent: 115, maximumMore: Money(minorUnits: 7500, currency: .usd))

    /// The most that all captures of a hold may make up.
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
