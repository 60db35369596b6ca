package dev.decant.fake.security;

import dev.decant.fake.api.ApiTable;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.message.CreateAclsRequest;
import dev.decant.kafka.protocol.message.CreateAclsResponse;
import dev.decant.kafka.protocol.message.DeleteAclsRequest;
import dev.decant.kafka.protocol.message.DeleteAclsResponse;
import dev.decant.kafka.protocol.message.DescribeAclsRequest;
import dev.decant.kafka.protocol.message.DescribeAclsResponse;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import java.util.EnumSet;
import java.util.Set;

/** The APIs of logins and rules, and the guards of all other APIs. */
public final class SecurityApis {
  private static final Set<ApiKey> OF_LOGINS = EnumSet.of(ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE);
  private static final Set<ApiKey> OF_RULES = EnumSet.of(ApiKey.DESCRIBE_ACLS, ApiKey.CREATE_ACLS,
      ApiKey.DELETE_ACLS);

  private SecurityApis() {}

  /**
   * Adds the security of a cluster.
   *
   * @param apis table that has all other APIs already, which then get their guards
   * @param cluster has the topics
   * @param sessions sessions of the connections
   * @param logins users and mechanisms
   * @param rules rights of the clients
   */
  public static void addTo(ApiTable apis, Cluster cluster, ClientSessions sessions, Logins logins,
      AccessRules rules) {
    apis.addLater(OF_LOGINS, () -> addLogins(apis, sessions, logins));
    apis.addLater(OF_RULES, () -> addRules(apis, rules));
    rules.beforeFirst(() -> Guards.addAll(apis, cluster));
  }

  private static void addLogins(ApiTable apis, ClientSessions sessions, Logins logins) {
    apis.add(ApiKey.SASL_HANDSHAKE, SaslHandshakeRequest::read, SaslHandshakeResponse::write,
        (response, throttleTimeMs) -> response, new SaslHandshakeHandler(sessions, logins));
    apis.add(ApiKey.SASL_AUTHENTICATE, SaslAuthenticateRequest::read, SaslAuthenticateResponse::write,
        (response, throttleTimeMs) -> response, new SaslAuthenticateHandler(sessions));
  }

  private static void addRules(ApiTable apis, AccessRules rules) {
    apis.add(ApiKey.DESCRIBE_ACLS, DescribeAclsRequest::read, DescribeAclsResponse::write,
        DescribeAclsResponse::throttleTimeMs, new DescribeAclsHandler(rules));
    apis.add(ApiKey.CREATE_ACLS, CreateAclsRequest::read, CreateAclsResponse::write,
        CreateAclsResponse::throttleTimeMs, new CreateAclsHandler(rules));
    apis.add(ApiKey.DELETE_ACLS, DeleteAclsRequest::read, DeleteAclsResponse::write,
        DeleteAclsResponse::throttleTimeMs, new DeleteAclsHandler(rules));
  }
}
