import ArgumentParser
import Foundation
import TillCore
import TillCounter
import TillProvider

extension Readers {
    struct CollectInputs: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "collect-inputs",
            abstract: "Asks the customer something at a reader and shows the answers.",
            discussion: """
                till readers collect-inputs Front --ask "email=Where to send the receipt?"
                till readers collect-inputs Front --ask "selection=A bag?|Yes|No" --ask "signature=Please sign"
                Kinds: selection, text, numeric, email, phone, signature. Answers may be personal data: they are shown \
                and kept nowhere.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String?
        @Option(
            name: .long, parsing: .singleValue,
            help: ArgumentHelp("What to ask, as kind=question; one to five times.", valueName: "question"))
        var ask: [String]
        @Flag(name: .long, help: "The customer cannot skip the questions.") var required = false
        @Option(name: .long, help: "The most seconds to wait for the answers.") var wait = 120

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let inputs = try questions()
                let fleet = try counter.readers()
                let asking = try fleet.mustAskQuestions()
                let found = try await counter.reader(reader)
                _ = try await asking.ask(inputs, at: found.id)
                if !common.json { Output.note("Reader \(found.label): waiting for the customer…") }
                show(try await answers(at: found, of: fleet, asking, counter.clock))
            }
        }

        private func questions() throws -> [ReaderQuestion] {
            guard ReaderQuestion.countOfQuestions.contains(ask.count) else {
                throw CommandError(
                    code: "invalid_questions", what: "A reader asks one to five questions; \(ask.count) were given.",
                    next: "Give --ask one to five times.")
            }
            return try ask.map { text in
                guard let input = ReaderQuestion(question: text, isRequired: required) else {
                    throw CommandError(
                        code: "invalid_questions", what: "\(text.prefix(60)) is no question.",
                        next: "Write it as email=Where to send it? or selection=A bag?|Yes|No.")
                }
                return input
            }
        }

        /// Waits for the answers, up to the time limit.
        private func answers(
            at reader: CounterReader, of fleet: any ReaderFleet, _ asking: any ReaderQuestions, _ clock: any TillClock
        ) async throws -> [ReaderAnswers.Answer] {
            let end = clock.now().adding(.seconds(Int64(min(max(wait, 1), 600))))
            while clock.now() < end {
                let now = try await asking.answers(at: reader.id)
                switch now.status {
                case nil:
                    throw CommandError(
                        code: "questions_called_off", what: "The questions were canceled at \(reader.label).",
                        next: "Ask again if the answers are needed.")
                case .succeeded?: return now.answers
                case .failed?:
                    throw CommandError(
                        code: now.failureCode ?? "not_answered", what: "Nobody answered at \(reader.label).",
                        next: "Ask again if the answers are needed.")
                default: try await clock.sleep(for: .milliseconds(400))
                }
            }
            _ = try await fleet.cancel(reader.id)
            throw CommandError(
                code: "not_answered",
                what: "Nobody answered at \(reader.label) within \(wait) s; the questions were canceled.",
                next: "Ask again if the answers are needed.")
        }

        private func show(_ answers: [ReaderAnswers.Answer]) {
            guard !common.json else {
                return Output.line(
                    ReaderLine.list(
                        "answers",
                        answers.map { answer in
                            .object([
                                JSONMember(key: "type", value: .string(answer.kind)),
                                JSONMember(key: "value", value: answer.value.map { .string($0) } ?? .null),
                                JSONMember(key: "text", value: answer.text.map { .string($0) } ?? .null),
                                JSONMember(key: "skipped", value: .bool(answer.isSkipped)),
                            ])
                        }))
            }
            for answer in answers {
                Output.line(
                    "\(answer.kind): \(answer.isSkipped ? "skipped" : answer.text ?? answer.value ?? "no answer")")
            }
        }
    }

    struct SimulateAnswers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "simulate-answers",
            abstract: "Answers what a simulated reader asks, or lets nobody answer.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its label, id or serial number.") var reader: String?
        @Flag(name: .long, help: "The customer skips what need not be answered.") var skip = false
        @Flag(name: .long, help: "Nobody answers until the reader gives up.") var timeOut = false
        @Option(name: .long, help: "The most seconds to wait for the reader to ask.") var wait = 10

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let fleet = try counter.readers()
                let asking = try fleet.mustAskQuestions()
                var found = try await counter.reader(reader)
                let end = counter.clock.now().adding(.seconds(Int64(min(max(wait, 0), 600))))
                while !found.asksQuestions, counter.clock.now() < end {
                    try await counter.clock.sleep(for: .milliseconds(200))
                    found = try await fleet.reader(named: found.id)
                }
                guard found.asksQuestions || found.status == .offline else {
                    throw CommandError(
                        code: "reader_not_waiting", what: "\(found.label) asks nothing.",
                        next: "Have it ask something: till readers collect-inputs.")
                }
                _ = try await asking.pretend(timeOut ? .leaves : skip ? .skips : .answers, at: found.id)
                let after = try await fleet.reader(named: found.id)
                Output.line(
                    common.json ? ReaderLine.json(after).text : ReaderLine.details(after, isConnected: false))
            }
        }
    }
}

extension CounterReader {
    /// `true` if a question on its screen waits for the customer.
    fileprivate var asksQuestions: Bool { isBusy && action?.purpose == .questions }
}

extension ReaderFleet {
    fileprivate func mustAskQuestions() throws -> any ReaderQuestions {
        guard let questions else {
            throw CommandError(
                code: "unsupported", what: "The readers of \(provider) ask no questions.",
                next: "Ask the customer yourself.")
        }
        return questions
    }
}

extension ReaderQuestion {
    /// Parses `kind=question`, and for a selection its choices: `selection=A bag?|Yes|No`.
    init?(question text: String, isRequired: Bool) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2, let kind = halves.first, let rest = halves.last else { return nil }
        let parts = rest.split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard let kind = ReaderQuestion.Kind(rawValue: kind), let title = parts.first, !parts.contains(""),
            parts.allSatisfy({ $0.utf8.count <= ReaderQuestion.maximumBytes })
        else { return nil }
        let choices = parts.dropFirst()
        let isWhole = kind == .selection ? ReaderQuestion.countOfChoices.contains(choices.count) : choices.isEmpty
        guard isWhole else { return nil }
        self.init(
            kind: kind, title: title, isRequired: isRequired,
            choices: Array(choices))
    }
}
