package import Logging
import ServiceLifecycle
package import TillCheckout
package import TillCore
package import TillJournal

/// Watches the machine's clock while the counter is open: logs a doubt and its end, obtains the time from providers
/// meanwhile, accepts an operator's confirmation, and reschedules work that a wrong clock planned too far ahead.
package struct ClockKeeper: Service {
    /// The check interval.
    package static let pace = Span.seconds(2)
    /// The number of checks between provider requests during a doubt: provider responses carry the time.
    static let asksEvery = 15

    package let clock: WitnessedClock
    package let journal: any CounterStore
    package let checkout: Checkout
    package let logger: Logger

    package init(clock: WitnessedClock, journal: any CounterStore, checkout: Checkout, logger: Logger) {
        (self.clock, self.journal, self.checkout, self.logger) = (clock, journal, checkout, logger)
    }

    /// The state carried from one check to the next.
    package struct Memory {
        /// The identifier of the logged doubt.
        package var doubt: String?
        var isSettled = false
        var checks = 0
        /// The proof's version at the last check without doubt: only a confirmation after that version ends a doubt.
        package var proof: Int?

        package init(doubt: String? = nil, proof: Int? = nil) {
            self.doubt = doubt
            self.proof = proof
        }
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var memory = Memory()
            while !Task.isCancelled {
                do { memory = try await Attribution.of(.housekeeping) { try await check(memory) } } catch {
                    logger.warning("The clock's record could not be read or written: \(error)")
                }
                guard await clock.pause(for: ClockKeeper.pace) else { return }
            }
        }
    }

    /// Checks the clock once.
    package func check(_ before: Memory) async throws -> Memory {
        var memory = before
        let proof = try await Records<ClockProof>(journal).document(ClockProof.key)
        let standing = clock.standing
        if memory.proof == nil || standing.isTrusted { memory.proof = proof?.version ?? 0 }
        guard !standing.isTrusted else { return try await settle(memory) }
        if memory.isSettled || memory.doubt != standing.doubt?.word {
            if let doubt = standing.doubt { logger.error("\(doubt.sentence) \(ClockDoubt.next)") }
            memory.checks = 0
        }
        memory.doubt = standing.doubt?.word
        memory.isSettled = false
        if let proof, proof.by == .person, proof.version != memory.proof {
            memory.proof = proof.version
            clock.confirm()
        } else if memory.checks % ClockKeeper.asksEvery == 0 {
            await checkout.askTheTime()
        }
        memory.checks += 1
        return memory
    }

    private func settle(_ before: Memory) async throws -> Memory {
        var memory = before
        if !memory.isSettled {
            if memory.doubt != nil { logger.notice("The machine's clock is not in doubt any more.") }
            let woken = try await checkout.pullBack()
            if woken > 0 { logger.notice("\(woken) payments were scheduled by a wrong clock; they are queried now.") }
        }
        memory.isSettled = true
        memory.doubt = nil
        memory.checks += 1
        // About once a minute, write a proof if an hour has passed.
        if memory.checks % 30 == 1 { try await clock.prove(in: journal) }
        return memory
    }
}
