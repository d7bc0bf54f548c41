extension Reconciliation {
    /// The outcome of a statement import, in numbers of lines.
    public struct Outcome: Hashable, Sendable {
        /// New lines.
        public var imported = 0
        /// Lines that an earlier import had brought.
        public var known = 0
        public var matched = 0
        /// Lines without a payment: fees, payouts, reserves, conversions.
        public var posted = 0
        /// Lines with an amount that differs from the journal's.
        public var differs = 0
        public var unknown = 0
        /// Movements in the journal that are not due on a statement yet.
        public var expected = 0
        /// Movements in the journal that are due on a statement and absent.
        public var missing = 0
        /// Payouts that differ from the sum of their rows.
        public var remainders = 0
        /// Open discrepancies at this provider, found now or before.
        public var open = 0
        /// `true` if the import was canceled. The counted lines were imported, and importing the same statement again
        /// resumes.
        public var isStopped = false

        public init() {}

        /// Adds the outcome of the next statement of the same provider: counts of lines are added, totals are replaced.
        public mutating func add(_ next: Outcome) {
            imported += next.imported
            known += next.known
            matched += next.matched
            posted += next.posted
            differs += next.differs
            unknown += next.unknown
            remainders += next.remainders
            (expected, missing, open) = (next.expected, next.missing, next.open)
            isStopped = isStopped || next.isStopped
        }

        mutating func count(_ state: KeptLine.State) {
            imported += 1
            switch state {
            case .matched: matched += 1
            case .posted: posted += 1
            case .differs: differs += 1
            case .unknown: unknown += 1
            }
        }
    }
}
