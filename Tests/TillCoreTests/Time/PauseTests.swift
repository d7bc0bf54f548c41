import Testing
import TillCore

@Suite struct PauseTests {
    @Test("a pause says that its time has passed")
    func passed() async {
        #expect(await SystemClock().pause(for: .milliseconds(1)))
    }

    @Test("a pause of a task that is canceled ends at once and says so, so that a loop ends")
    func cancelled() async {
        let pause = Task { await SystemClock().pause(for: .seconds(600)) }
        pause.cancel()
        #expect(await !pause.value)
    }
}
