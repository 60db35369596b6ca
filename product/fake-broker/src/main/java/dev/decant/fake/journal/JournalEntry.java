package dev.decant.fake.journal;

import dev.decant.kafka.protocol.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * A request as it came.
 *
 * @param number counts the requests of the cluster, from 1
 * @param broker the id of the broker that was asked
 * @param connection the number of the connection in the cluster, from 1
 * @param api the API
 * @param version the version of the request
 * @param correlationId what the response repeats
 * @param clientId what the client calls itself, null for nothing
 * @param atMillis when it came, in milliseconds since the epoch
 * @param frame the bytes of the request with its header, without its length
 * @param bodyAt where its body begins in the frame
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record JournalEntry(long number, int broker, long connection, ApiKey api, short version, int correlationId,
    @Nullable String clientId, long atMillis, byte[] frame, int bodyAt) {}
