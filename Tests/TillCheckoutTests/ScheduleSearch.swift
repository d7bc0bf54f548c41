import Foundation
import TillSimulation
import TillTestSupport

/// Runs two actions on one payment in every order of their steps in which nobody is interrupted more often than is
/// said.
struct ScheduleSearch: Sendable {
    /// Whether every order is run, which takes an hour: `make prove` does.
    static let isWhole = ProcessInfo.processInfo.environment["TILL_EVERY_ORDER"] != nil
    /// How often somebody is interrupted. A fault that takes more than two of these is rare (Musuvathi and Qadeer,
    /// 2007).
    static let usualSwitches = isWhole ? Int.max : 2
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
    /// How often somebody may be interrupted.
    var switches = ScheduleSearch.usualSwitches

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
            let (widths, breach) = tryOut(choices, rule)
            outcome.count += 1
            outcome.breach = breach
            guard breach == nil else { return outcome }
            var next = widths.indices.map { $0 < choices.count ? choices[$0] : 0 }
            while let last = next.last, last + 1 >= widths[next.count - 1] { next.removeLast() }
            guard let last = next.popLast() else { return outcome }
            choices = next + [last + 1]
        }
        outcome.isCut = true
        return outcome
    }

    /// Runs orders that are chosen at random from a seed, where there are too many for all, up to the first breach.
    func sample(_ count: Int, seed: UInt64, _ rule: (GatedWorld.End) -> String? = { _ in nil }) -> Outcome {
        var outcome = Outcome()
        var random = SeededRandom(seed: seed)
        while outcome.count < count, outcome.breach == nil {
            let choices = (0..<GatedWorld.maximumSteps).map { _ in random.below(GatedWorld.maximumSteps) }
            outcome.breach = tryOut(choices, rule).breach
            outcome.count += 1
        }
        return outcome
    }

    private func tryOut(
        _ choices: [Int], _ rule: (GatedWorld.End) -> String?
    ) -> (widths: [Int], breach: String?) {
        let world = GatedWorld(
            preparesFirst: preparesFirst, renewsHolds: start.isRenewable, plant: plant,
            isStrict: actions.contains(where: \.isAfterSale))
        let (widths, end) = world.run(actions, from: start, choices: choices, switches: switches)
        let problems = world.problems(in: end) + (end.flatMap(rule).map { [$0] } ?? [])
        guard !problems.isEmpty else { return (widths, nil) }
        let names = actions.map(\.rawValue).joined(separator: " and ")
        let order = zip(choices, widths).map { $0 % $1 }
        return (widths, "\(names) from \(start.rawValue), order \(order): \(problems)")
    }
}
