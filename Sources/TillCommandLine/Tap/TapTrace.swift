import ArgumentParser
import TillContactless
import TillCore

extension Tap {
    /// `till tap trace FILE`: explains a recorded tap.
    struct Trace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trace",
            abstract: "Explains a recorded conversation with a card, step by step, and says how the tap would end here."
        )
        @Argument(help: "The recording: lines such as `send: 00A404…` and `resp: 6F…9000`.")
        var file: String
        @Flag(name: .long, help: "Print one JSON object and nothing else.")
        var json = false

        func run() async throws {
            let transcript: Transcript
            do {
                transcript = try Tap.transcript(file)
            } catch let error as any ExplainedError {
                throw Output.fail(error, json: json)
            }
            let steps = TranscriptExplanation.steps(transcript)
            let ending = await TranscriptExplanation.ending(transcript)
            if json {
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("steps")
                writer.beginArray()
                for step in steps { Trace.write(step, to: &writer) }
                writer.endArray()
                Trace.write(TranscriptExplanation.applications(transcript), transcript, to: &writer)
                switch ending {
                case .success(let reading): Tap.write(reading, to: &writer)
                case .failure(let error): writer.field("not_read", error.description)
                }
                writer.endObject()
                return Output.line(writer.text)
            }
            Trace.tell(steps)
            Output.line("")
            for application in TranscriptExplanation.applications(transcript) {
                Output.line("Recorded: \(application.sentence)")
            }
            for sentence in transcript.assumptions { Output.line("Note: \(sentence)") }
            if !transcript.unreadLines.isEmpty {
                Output.line("Not understood and passed over: \(Trace.ranges(transcript.unreadLines))")
            }
            switch ending {
            case .success(let reading):
                let number = reading.maskedNumber ?? "no number"
                Output.line(
                    "\(reading.scheme ?? "Unknown scheme"), \(reading.label ?? "no label"), \(number), read by "
                        + "\(reading.kernel) with \(reading.commands) commands")
                Output.line("Outcome: \(reading.outcome.rawValue). \(reading.reason)")
            case .failure where TranscriptExplanation.holdsOnlyPasses(transcript):
                Output.line("Outcome: passes alone. The recording holds no payment card.")
            case .failure(let error):
                Output.line("Outcome: not read. \(error)")
            }
        }

        /// Prints the steps with their numbers; identical consecutive steps are reported once.
        private static func tell(_ steps: [TranscriptExplanation.Step]) {
            var index = 0
            while index < steps.count {
                let text = lines(steps[index])
                var last = index
                while last + 1 < steps.count, lines(steps[last + 1]) == text { last += 1 }
                let number = last == index ? "\(index + 1)." : "\(index + 1)-\(last + 1)."
                Output.line("\(number) \(text[0])")
                for line in text.dropFirst() { Output.line(line) }
                index = last + 1
            }
        }

        private static func lines(_ step: TranscriptExplanation.Step) -> [String] {
            var lines = [step.title, "   \(step.sentence)"]
            if !step.sent.isEmpty {
                lines.append("   sent:")
                lines += EMV.text(step.sent, indent: 3)
            }
            lines.append("   " + (step.status.map { "answer: \($0)" } ?? "no answer"))
            lines += EMV.text(step.answer, indent: 3)
            for note in step.notes { lines.append("   ! \(note)") }
            return lines
        }

        private static func write(
            _ applications: [RecordedApplication], _ transcript: Transcript, to writer: inout JSONWriter
        ) {
            writer.key("applications")
            writer.beginArray()
            for application in applications {
                writer.beginObject()
                writer.field("aid", Hex.text(application.aid))
                writer.field("scheme", application.scheme)
                writer.field("label", application.label)
                writer.field("masked_number", application.maskedNumber)
                writer.field("expiry", application.expiry)
                writer.field("cryptogram", application.cryptogram)
                if let counter = application.counter { writer.field("transaction_counter", counter) }
                writer.endObject()
            }
            writer.endArray()
            writer.key("unread_lines")
            writer.beginArray()
            for line in transcript.unreadLines { writer.int(Int64(line)) }
            writer.endArray()
            writer.key("assumptions")
            writer.beginArray()
            for sentence in transcript.assumptions { writer.string(sentence) }
            writer.endArray()
        }

        /// The maximum number of line ranges in the output.
        private static let mostRanges = 12

        private static func ranges(_ lines: [Int]) -> String {
            var ranges: [ClosedRange<Int>] = []
            for line in lines {
                if let last = ranges.last, line <= last.upperBound + 1 {
                    ranges[ranges.count - 1] = last.lowerBound...max(line, last.upperBound)
                } else {
                    ranges.append(line...line)
                }
            }
            let shown = ranges.prefix(mostRanges).map {
                $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
            }
            let more = ranges.count - shown.count
            return (lines.count == 1 ? "line " : "lines ") + shown.joined(separator: ", ")
                + (more > 0 ? " and \(more) more places" : "")
        }

        private static func write(_ step: TranscriptExplanation.Step, to writer: inout JSONWriter) {
            writer.beginObject()
            writer.field("command", step.title)
            writer.field("sentence", step.sentence)
            writer.field("status", step.status?.description)
            writer.key("sent")
            EMV.write(step.sent, to: &writer)
            writer.key("answer")
            EMV.write(step.answer, to: &writer)
            if !step.notes.isEmpty {
                writer.key("notes")
                writer.beginArray()
                for note in step.notes { writer.string(note) }
                writer.endArray()
            }
            writer.endObject()
        }
    }
}
