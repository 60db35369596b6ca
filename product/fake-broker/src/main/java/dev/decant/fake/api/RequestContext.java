package dev.decant.fake.api;

import dev.decant.fake.cluster.Broker;
import dev.decant.kafka.protocol.ApiKey;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a request, and the broker that received it.
 *
 * @param broker broker that received the request
 * @param incarnation life of the broker in which it received the request
 * @param connection number of the connection in the cluster, from 1
 * @param clientHost address of the client, as group descriptions show it
 * @param clientId name that the client gives itself; null without a name
 * @param api API of the request
 * @param version version of the request
 * @param access rights of the client
 */
public record RequestContext(Broker broker, int incarnation, long connection, String clientHost,
    @Nullable String clientId, ApiKey api, short version, Access access) {}
