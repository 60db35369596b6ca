package dev.decant.replay;

import dev.decant.fake.FakeSecurity;
import dev.decant.fake.Operation;
import dev.decant.fake.Resource;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;

/**
 * Rules of Apache's tests in a fake cluster. Clients of a listener without logins are {@code User:ANONYMOUS} there; a
 * principal builder of the tests calls them {@code User:client}.
 */
final class FakeRules {
  private FakeRules() {}

  static void add(FakeSecurity security, AccessControlEntry entry, ResourcePattern resource) {
    if (entry.permissionType() == AclPermissionType.ALLOW) {
      security.allow(principal(entry), resource(resource), Operation.valueOf(entry.operation().name()));
    } else {
      security.deny(principal(entry), resource(resource), Operation.valueOf(entry.operation().name()));
    }
  }

  static void remove(FakeSecurity security, AccessControlEntry entry, ResourcePattern resource) {
    security.remove(principal(entry), resource(resource), Operation.valueOf(entry.operation().name()));
  }

  private static String principal(AccessControlEntry entry) {
    return entry.principal().equals("User:client") ? "User:ANONYMOUS" : entry.principal();
  }

  private static Resource resource(ResourcePattern pattern) {
    boolean isPrefix = pattern.patternType() == PatternType.PREFIXED;
    boolean isAny = pattern.name().equals(ResourcePattern.WILDCARD_RESOURCE);
    String name = pattern.name();
    return switch (pattern.resourceType()) {
      case TOPIC -> isAny ? Resource.anyTopic() : isPrefix ? Resource.topics(name) : Resource.topic(name);
      case GROUP -> isAny ? Resource.anyGroup() : isPrefix ? Resource.groups(name) : Resource.group(name);
      case TRANSACTIONAL_ID -> isAny
          ? Resource.anyTransactionalId()
          : isPrefix ? Resource.transactionalIds(name) : Resource.transactionalId(name);
      case CLUSTER -> Resource.cluster();
      default -> throw new UnsupportedOperationException("a fake cluster has no resource like " + pattern);
    };
  }
}
