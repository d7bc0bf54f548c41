import Testing

@Suite("Every order of steps of two processes on one payment")
struct ScheduleTests {
    /// The longest search of one pair; what is beyond is not looked at, and said so.
    static let limit = 3_000

    @Test("no order of steps breaks a rule", arguments: GatedWorld.Start.allCases) func all(start: GatedWorld.Start) {
        let actions: [GatedWorld.Action] =
            switch start {
            case .created: [.confirm, .cancel, .webhook, .recover]
            case .held: [.capture, .capturePart, .cancel, .refund, .webhook, .recover, .confirm]
            case .captured: [.refund, .refundPart, .cancel, .webhook, .recover, .capture]
            }
        var (schedules, cut) = (0, 0)
        for (index, first) in actions.enumerated() {
            for second in actions[index...] {
                let found = explore([first, second], from: start)
                schedules += found.count
                if found.isCut { cut += 1 }
            }
        }
        print("schedules from \(start.rawValue): \(schedules); pairs not searched to the end: \(cut)")
        #expect(schedules > 100)
    }

    /// Depth first over the choices at each step.
    private func explore(_ actions: [GatedWorld.Action], from start: GatedWorld.Start) -> (count: Int, isCut: Bool) {
        var choices: [Int] = []
        var count = 0
        while count < ScheduleTests.limit {
            let (widths, problems) = GatedWorld().run(actions, from: start, choices: choices)
            count += 1
            if !problems.isEmpty {
                Issue.record("\(actions) from \(start), \(choices): \(problems)")
                return (count, false)
            }
            var next = widths.indices.map { $0 < choices.count ? choices[$0] : 0 }
            while let last = next.last, last + 1 >= widths[next.count - 1] { next.removeLast() }
            guard let last = next.popLast() else { return (count, false) }
            choices = next + [last + 1]
        }
        return (count, true)
    }
}
