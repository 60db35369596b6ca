package dev.decant.testkit.broker;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** Serves a parent's requests about users, their rights, and keys. Words of a user are in base 64. One thread. */
final class SecurityAdmin {
  private static final int POLL_MILLIS = 5;
  /** The least number that brokers accept: tests need no strength. */
  private static final int ITERATIONS = 4096;

  private final Admin admin;

  SecurityAdmin(Admin admin) {
    this.admin = admin;
  }

  /** Executes one request; its words are those of {@code KafkaCluster}. */
  String execute(String[] words) throws ExecutionException, InterruptedException {
    switch (words[0]) {
      case "scram" -> setPassword(text(words[1]), text(words[2]));
      case "acl" -> addRule(words[1], Stream.of(words).skip(2).map(SecurityAdmin::text).toList());
      case "keystore" -> replaceKeys(words[1], text(words[2]), text(words[3]));
      case "committed" -> {
        return Long.toString((long) metric("raft-metrics", "high-watermark"));
      }
      case "applied" -> {
        while (metric("broker-metadata-metrics", "last-applied-record-offset") < Long.parseLong(words[1]) - 1) {
          Thread.sleep(POLL_MILLIS);
        }
      }
      default -> throw new IllegalArgumentException("unknown request " + words[0]);
    }
    return "";
  }

  private static String text(String word) {
    return new String(Base64.getUrlDecoder().decode(word), StandardCharsets.UTF_8);
  }

  private void setPassword(String user, String password) throws ExecutionException, InterruptedException {
    for (ScramMechanism mechanism : List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
      ScramCredentialInfo kind = new ScramCredentialInfo(mechanism, ITERATIONS);
      // A request may contain a user only once, so each mechanism has a request of its own.
      admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(user, kind, password))).all().get();
    }
  }

  /** Adds the rule: principal, operation, type of resource, name. */
  private void addRule(String permission, List<String> rule) throws ExecutionException, InterruptedException {
    AclOperation operation = AclOperation.fromString(rule.get(1));
    ResourceType type = ResourceType.fromString(rule.get(2));
    if (operation == AclOperation.UNKNOWN) {
      throw new IllegalArgumentException(
          "no operation " + rule.get(1) + "; there are " + Arrays.toString(AclOperation.values()));
    }
    if (type == ResourceType.UNKNOWN) {
      throw new IllegalArgumentException(
          "no type of resource " + rule.get(2) + "; there are " + Arrays.toString(ResourceType.values()));
    }
    AclBinding binding = new AclBinding(new ResourcePattern(type, rule.get(3), PatternType.LITERAL),
        new AccessControlEntry(rule.getFirst(), "*", operation, AclPermissionType.fromString(permission)));
    admin.createAcls(List.of(binding)).all().get();
  }

  private void replaceKeys(String node, String prefix, String store) throws ExecutionException, InterruptedException {
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node);
    AlterConfigOp change = new AlterConfigOp(new ConfigEntry(prefix + "ssl.keystore.location", store),
        AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(broker, List.of(change))).all().get();
  }

  /** Returns a metric of this broker; NaN until the metric exists. */
  private static double metric(String type, String name) {
    try {
      Object value = ManagementFactory.getPlatformMBeanServer()
          .getAttribute(new ObjectName("kafka.server:type=" + type), name);
      return ((Number) value).doubleValue();
    } catch (JMException e) {
      throw new IllegalStateException("the broker does not tell its metric " + name + " of " + type, e);
    }
  }
}
