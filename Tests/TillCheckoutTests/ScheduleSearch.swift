import TillSimulation

/// Runs two actions on one payment in every order of their steps.
struct ScheduleSearch: Sendable {
    /// The longest search of one pair; what is beyond is not looked at, and said so.
    static let limit = 20_000

    /// What the two do.
    var actions: [GatedWorld.Action]
    /// Where the payment stands before.
    var start: GatedWorld.Start
    /// Whether the provider makes its object first.
    var preparesFirst = true
    /// A safeguard that is switched off.
    var plant: PlantedFault?

    /// What a search found.
    struct Outcome: Sendable {
        /// How many orders of steps were run.
        var count = 0
        /// There are more than were run.
        var isCut = false
        /// The first order that breaks a rule.
        var breach: String?
    }

    /// Searches depth first, up to the first breach of the money rules or of `rule`.
    func run(_ rule: (GatedWorld.End) -> String? = { _ in nil }) -> Outcome {
        var outcome = Outcome()
        var choices: [Int] = []
        while outcome.count < ScheduleSearch.limit {
            let world = GatedWorld(
                preparesFirst: preparesFirst, renewsHolds: start.isRenewable, plant: plant,
                isStrict: actions.contains(where: \.isAfterSale))
            let (widths, end) = world.run(actions, from: start, choices: choices)
            outcome.count += 1
            let problems = world.problems(in: end) + (end.flatMap(rule).map { [$0] } ?? [])
            guard problems.isEmpty else {
                let names = actions.map(\.rawValue).joined(separator: " and ")
                outcome.breach = "\(names) from \(start.rawValue), order \(choices): \(problems)"
                return outcome
            }
            var next = widths.indices.map { $0 < choices.count ? choices[$0] : 0 }
            while let last = next.last, last + 1 >= widths[next.count - 1] { next.removeLast() }
            guard let last = next.popLast() else { return outcome }
            choices = next + [last + 1]
        }
        outcome.isCut = true
        return outcome
    }
}
