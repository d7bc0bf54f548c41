import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

extension LedgerDays {
    /// The state of a drawer's last session, as the people know it; `nil` for a drawer that was never opened.
    func state(of name: DrawerName) -> DrawerSession.State? { sessions[name]?.last?.state }

    /// Names a drawer that was ever opened, open or not, or none: cash is in the first one then, and refunded cash
    /// comes out of that of the sale.
    func drawn() -> DrawerName? {
        guard random.chance(600) else { return nil }
        let known = LedgerDays.drawers.filter { $0 == .main || sessions[$0] != nil }
        return known[random.below(known.count)]
    }

    /// Keeps that cash went into a drawer, or came out of it, with the events after a position.
    func moved(
        _ units: Int64, _ currency: Currency, in name: DrawerName, after position: Int64
    ) async throws {
        cash[name, default: [:]][currency, default: 0] += units
        let last = try await world.till.lastSequence()
        guard position < last else { return problems.append("cash moved without an event") }
        for sequence in position + 1...last { places[sequence] = name }
    }

    /// Takes the next step of a drawer's session.
    func step(_ name: DrawerName) async throws {
        switch state(of: name) {
        case nil, .closed?: try await open(name)
        case .open?: try await count(name)
        case .ended?:
            if random.chance(300) { try await resume(name) } else { try await close(name) }
        }
    }

    func open(_ name: DrawerName) async throws {
        let currency: Currency = random.chance(750) ? .eur : .chf
        let isFirst = !(sessions[name] ?? []).contains { $0.currency == currency }
        let found = isFirst ? LedgerDays.firstFloat : noise(in: name, currency)
        cash[name, default: [:]][currency, default: 0] += found
        let float = cash[name]?[currency] ?? 0
        let opened = try await world.till.lastSequence()
        sessions[name, default: []].append(Day(currency: currency, opened: opened, float: float, found: found))
        try await again(at: name) {
            _ = try await $0.open(.init(total: float), in: currency, of: .main, reason: "counted")
        } until: {
            $0 == .open
        }
    }

    /// Moves cash under one key, until an answer comes.
    func move(_ name: DrawerName) async throws {
        guard let day = sessions[name]?.last else { return }
        made += 1
        let (key, amount) = ("key-\(made)", random.number(1...3_000))
        let kind = CashMovement.Kind.allCases[random.below(CashMovement.Kind.allCases.count)]
        guard kind == .paidIn || cash[name]?[day.currency] ?? 0 > amount + LedgerDays.reserve else { return }
        let returned = sales.last { $0.currency == day.currency && $0.tender != .cash }?.id
        let request = CashMovement.Request(
            kind, amount: amount, reason: "for \(key)", payment: kind == .refund ? returned : nil)
        let who = somebody()
        for _ in 0..<LedgerDays.maximumTries {
            let isDone = try await act(who, at: name) { _ = try await $0.move(request, key: key, of: .main) }
            guard isDone else { continue }
            cash[name, default: [:]][day.currency, default: 0] += kind == .paidIn ? amount : 0 - amount
            change(name) { $0.moved[kind, default: 0] += amount }
            return
        }
        problems.append("a movement does not come to its end")
    }

    func count(_ name: DrawerName) async throws {
        guard let day = sessions[name]?.last else { return }
        let apart = noise(in: name, day.currency)
        cash[name, default: [:]][day.currency, default: 0] += apart
        let total = cash[name]?[day.currency] ?? 0
        let end = try await world.till.lastSequence()
        try await again(at: name) {
            _ = try await $0.count(.init(total: total), of: .main)
        } until: {
            $0 == .ended
        }
        change(name) { day in
            day.apart += apart
            (day.counted, day.end, day.state) = (total, end, .ended)
        }
    }

    func resume(_ name: DrawerName) async throws {
        try await again(at: name) {
            _ = try await $0.resume(.main)
        } until: {
            $0 == .open
        }
        change(name) { $0.state = .open }
    }

    func close(_ name: DrawerName) async throws {
        guard let day = sessions[name]?.last else { return }
        // What does not stay goes to the bank.
        let staysAll = day.counted <= LedgerDays.reserve || random.chance(300)
        let left = staysAll ? day.counted : random.number(LedgerDays.reserve...day.counted)
        let closer = try await again(at: name) {
            _ = try await $0.close(left: left, reason: "counted", of: .main)
        } until: {
            $0 == nil
        }
        cash[name, default: [:]][day.currency, default: 0] -= day.counted - left
        change(name) { day in (day.left, day.closer, day.state) = (left, closer, .closed) }
    }

    /// Changes what is known of a drawer's last session.
    private func change(_ name: DrawerName, _ body: (inout Day) -> Void) {
        guard let last = sessions[name]?.indices.last else { return }
        body(&sessions[name, default: []][last])
    }

    /// Cash that is missing or too much, at times; no more is missing than there is.
    private func noise(in name: DrawerName, _ currency: Currency) -> Int64 {
        guard random.chance(400) else { return 0 }
        // What was given out beyond the cash, after a count, is not made up for: that would be more than the reserve.
        return max(random.number(-300...300), min(0, 0 - (cash[name]?[currency] ?? 0)))
    }
}
