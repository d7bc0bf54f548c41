import Testing

@testable import TillHardware

@Suite struct BroadcastTests {
    @Test func everyReaderGetsTheCurrentValueAndAllThatFollow() async {
        let broadcast = Broadcast(1)
        var first = broadcast.values.makeAsyncIterator()
        broadcast.send(2)
        var second = broadcast.values.makeAsyncIterator()
        broadcast.send(3)
        broadcast.finish()
        var (a, b): ([Int], [Int]) = ([], [])
        while let value = await first.next() { a.append(value) }
        while let value = await second.next() { b.append(value) }
        #expect(a == [1, 2, 3])
        #expect(b == [2, 3])
    }

    @Test func aSlowReaderLosesTheOldestAndNeverTheNewest() async {
        let broadcast = Broadcast<Int>()
        let stream = broadcast.values.subscribe()
        for value in 1...1000 { broadcast.send(value) }
        broadcast.finish()
        var seen: [Int] = []
        for await value in stream { seen.append(value) }
        #expect(seen == Array(745...1000))
        #expect(seen.count == Broadcast<Int>.maximumWaiting)
    }

    @Test func aReaderThatLeavesIsForgotten() async {
        let broadcast = Broadcast(0)
        do {
            var stream = broadcast.values.subscribe().makeAsyncIterator()
            _ = await stream.next()
            #expect(broadcast.listenerCount == 1)
        }
        let task = Task { for await _ in broadcast.values {} }
        task.cancel()
        await task.value
        #expect(broadcast.listenerCount == 0)
    }

    @Test func nothingIsReplayedAfterForgetting() async {
        let broadcast = Broadcast("old")
        broadcast.forget()
        var stream = broadcast.values.makeAsyncIterator()
        broadcast.send("new")
        #expect(await stream.next() == "new")
        #expect(broadcast.values.current == "new")
    }

    @Test func afterTheEndThereIsTheLastValueAndNothingElse() async {
        let broadcast = Broadcast(7)
        broadcast.finish()
        broadcast.send(8)
        var seen: [Int] = []
        for await value in broadcast.values { seen.append(value) }
        #expect(seen == [7])
    }

    @Test func manyThreadsSendWithoutLosingOrder() async {
        let broadcast = Broadcast<Int>()
        let stream = broadcast.values.subscribe()
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask { for index in 0..<60 { broadcast.send(lane * 1000 + index) } }
            }
        }
        broadcast.finish()
        var last = [-1, -1, -1, -1]
        var count = 0
        for await value in stream {
            let (lane, index) = (value / 1000, value % 1000)
            #expect(index > last[lane])
            last[lane] = index
            count += 1
        }
        #expect(count == 240)
    }
}
