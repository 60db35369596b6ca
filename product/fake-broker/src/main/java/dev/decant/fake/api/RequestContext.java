package dev.decant.fake.api;

import dev.decant.fake.cluster.Broker;
import dev.decant.kafka.protocol.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * Where a request came from, and the broker that received it.
 *
 * @param broker the broker that was asked
 * @param incarnation the life of the broker in which it was asked
 * @param connection the number of the connection in the cluster, from 1
 * @param clientHost the address of the client, as group descriptions show it
 * @param clientId what the client calls itself, null for nothing
 * @param api the API
 * @param version the version of the request
 * @param access what the client may do
 */
public record RequestContext(Broker broker, int incarnation, long connection, String clientHost,
    @Nullable String clientId, ApiKey api, short version, Access access) {}
