package dev.decant.lab.fix;

import dev.decant.lab.driver.Measured;
import java.util.Map;

/**
 * What one JVM tells of one sample.
 *
 * @param measured throughput, latency and what the JVM spent; a record is a round trip, or a message of one-way work
 * @param bytesByThread heap that each thread has allocated, without threads that have not
 * @param collectionsByCollector how often each collector ran, by the name of its bean, without those that did not
 * @param wireBytes length of an order as it was received, if MsgSeqNum had six digits; 0 if there was none
 * @param administrativeMessages sent by both sessions while it was measured
 */
public record FixMeasured(Measured measured, Map<String, Long> bytesByThread, Map<String, Long> collectionsByCollector,
    int wireBytes, long administrativeMessages) {}
