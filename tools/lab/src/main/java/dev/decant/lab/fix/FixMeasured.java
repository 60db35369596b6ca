package dev.decant.lab.fix;

import dev.decant.lab.driver.Measured;
import java.util.Map;

/**
 * The measurement of one sample in one JVM.
 *
 * @param measured throughput, latency and use of the JVM; a record is a round trip, or a message of one-way work
 * @param bytesByThread heap that each thread has allocated, without threads that have allocated none
 * @param collectionsByCollector number of collections by the name of the collector's bean, without collectors that did
 *     not run
 * @param wireBytes length of an order as it was received, for a MsgSeqNum(34) of six digits; 0 if there was none
 * @param administrativeMessages number of messages that both sessions have sent on their own during the measurement
 */
public record FixMeasured(Measured measured, Map<String, Long> bytesByThread, Map<String, Long> collectionsByCollector,
    int wireBytes, long administrativeMessages) {}
