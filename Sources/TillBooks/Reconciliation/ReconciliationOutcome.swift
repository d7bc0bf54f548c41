extension Reconciliation {
    /// What came of a statement, in numbers of lines.
    public struct Outcome: Hashable, Sendable {
        /// Lines that were not imported before.
        public var imported = 0
        /// Lines that an earlier import had brought.
        public var known = 0
        public var matched = 0
        /// Without a payment: fees, payouts, what is kept back or exchanged.
        public var posted = 0
        /// Shown with another amount than the journal has.
        public var differs = 0
        public var unknown = 0
        /// Movements of the journal that statements do not have to show yet.
        public var expected = 0
        /// Movements that they should show and do not.
        public var missing = 0
        /// Payouts that are not the sum of their rows.
        public var remainders = 0
        /// What does not match at this provider, found now or before, and nobody has cleared up.
        public var open = 0
        /// It was asked to stop before its end. What is counted here was imported, and the same statement again
        /// resumes.
        public var isStopped = false

        public init() {}

        /// What came of the next statement of the same provider: lines are added, what stands is the newer.
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
