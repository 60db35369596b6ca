package dev.decant.fake;

import dev.decant.fake.junit.FakeKafka;

/** Runs the examples of docs/testing.md on brokers within the process: each of their faults works there, too. */
@FakeKafka(brokers = 3, topics = "orders=1", inMemory = true)
class FaultExamplesInMemoryTest extends FaultExamplesTest {}
