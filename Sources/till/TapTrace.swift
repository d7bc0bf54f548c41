import ArgumentParser
import TillContactless
import TillCore

extension Tap {
    /// `till tap trace FILE`
    struct Trace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
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
                switch ending {
                case .success(let reading): Tap.write(reading, to: &writer)
                case .failure(let error): writer.field("not_read", error.description)
                }
                writer.endObject()
                return Output.line(writer.text)
            }
            for (index, step) in steps.enumerated() {
                Output.line("\(index + 1). \(step.title)")
                if !step.sent.isEmpty {
                    Output.line("   sent:")
                    for line in EMV.text(step.sent, indent: 3) { Output.line(line) }
                }
                Output.line("   \(step.status.map { "answer: \($0)" } ?? "no answer")")
                for line in EMV.text(step.answer, indent: 3) { Output.line(line) }
                for note in step.notes { Output.line("   ! \(note)") }
            }
            Output.line("")
            switch ending {
            case .success(let reading):
                let number = reading.maskedNumber ?? "no number"
                Output.line(
                    "\(reading.scheme ?? "Unknown scheme"), \(reading.label ?? "no label"), \(number), read by "
                        + "\(reading.kernel) with \(reading.commands) commands")
                Output.line("Outcome: \(reading.outcome.rawValue). \(reading.reason)")
            case .failure(let error):
                Output.line("Outcome: not read. \(error)")
            }
        }

        private static func write(_ step: TranscriptExplanation.Step, to writer: inout JSONWriter) {
            writer.beginObject()
            writer.field("command", step.title)
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
