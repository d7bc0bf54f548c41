import Logging
import ServiceLifecycle
import TillCheckout
import TillCore
import TillJournal

/// Minds the machine's clock as long as the counter is open: logs a doubt and its end, asks providers for the time
/// while there is one, hears a person's word, and wakes what a wrong clock has planned too far ahead.
struct ClockKeeper: Service {
    /// How often it checks.
    static let pace = Span.seconds(2)
    /// After how many checks providers are asked something, while there is a doubt: their answers carry the time.
    static let asksEvery = 15

    let clock: WitnessedClock
    let journal: any CounterStore
    let checkout: Checkout
    let logger: Logger

    /// What one check hands to the next.
    struct Memory {
        /// The word of the doubt that was logged.
        var doubt: String?
        var isSettled = false
        var checks = 0
        /// The version of the proof at the last check that found no doubt: only what a person has said since ends one.
        var proof: Int?
    }

    func run() async throws {
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

    /// One check of the clock.
    func check(_ before: Memory) async throws -> Memory {
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
        // Whether an hour has passed is checked about once a minute.
        if memory.checks % 30 == 1 { try await clock.prove(in: journal) }
        return memory
    }
}
