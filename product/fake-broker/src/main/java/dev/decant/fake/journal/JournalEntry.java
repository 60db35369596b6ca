package dev.decant.fake.journal;

import dev.decant.kafka.protocol.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * A received request.
 *
 * @param number number of the request in the cluster, from 1
 * @param broker id of the broker
 * @param connection number of the connection in the cluster, from 1
 * @param api API of the request
 * @param version version of the request
 * @param correlationId id that the response repeats
 * @param clientId name that the client gives itself, null for none
 * @param atMillis time of the request, in milliseconds since the epoch
 * @param frame bytes of the request with its header, without its length
 * @param bodyAt index of the body in the frame
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record JournalEntry(long number, int broker, long connection, ApiKey api, short version, int correlationId,
    @Nullable String clientId, long atMillis, byte[] frame, int bodyAt) {}
