package dev.decant.fake.junit;

import dev.decant.fake.FakeCluster;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * The fields of test classes that hold the cluster of one test or class, and their values before it. The cluster of a
 * test lives within that of its class, so each field gets its former value back after the test.
 *
 * <p>Tests that run at the same time may share an instance or a static field. A lock guards all fields. A field with
 * the cluster of another test is an error: the other test would close a cluster that this one uses.
 */
final class ClusterFields {
  /** Guards the fields of all test classes. */
  private static final Object LOCK = new Object();
  /**
   * The present clusters of all tests and classes; a field may also hold a cluster that the test itself has made.
   * Guarded by the lock.
   */
  private static final Set<FakeCluster> GIVEN = new HashSet<>();

  private final FakeCluster cluster;
  /** Clusters of classes around the test: a field that holds one of them takes the test's cluster. */
  private final Set<FakeCluster> around;
  private final List<Slot> filled = new ArrayList<>();

  private record Slot(Field field, @Nullable Object instance, @Nullable FakeCluster before) {}

  /**
   * Prepares the fields; none is set yet.
   *
   * @param cluster cluster for the fields
   * @param around the clusters of the classes around the test
   */
  ClusterFields(FakeCluster cluster, Set<FakeCluster> around) {
    this.cluster = cluster;
    this.around = around;
  }

  /** Records a cluster that may be put into fields. */
  static void began(FakeCluster cluster) {
    synchronized (LOCK) {
      GIVEN.add(cluster);
    }
  }

  /** Records that no field holds a cluster any more. */
  static void ended(FakeCluster cluster) {
    synchronized (LOCK) {
      GIVEN.remove(cluster);
    }
  }

  /** Returns true if a class has fields for a cluster. */
  static boolean areIn(Class<?> type) {
    return !of(type, false).isEmpty();
  }

  /**
   * Sets the fields that are null or hold a cluster of a class around the test.
   *
   * @param type class of the test
   * @param instance instance whose fields are set; null for the static fields of the class
   */
  void fill(Class<?> type, @Nullable Object instance) {
    synchronized (LOCK) {
      for (Field field : of(type, instance == null)) {
        fill(field, instance);
      }
    }
  }

  private void fill(Field field, @Nullable Object instance) {
    try {
      field.setAccessible(true);
      FakeCluster before = (FakeCluster) field.get(instance);
      if (before == null || (before != cluster && around.contains(before))) {
        field.set(instance, cluster);
        filled.add(new Slot(field, instance, before));
      } else if (before != cluster && GIVEN.contains(before)) {
        throw new ExtensionConfigurationException("@FakeKafka cannot set " + field + ": it holds the cluster of a test"
            + " that runs at the same time; take a parameter of type FakeCluster instead");
      }
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      throw new ExtensionConfigurationException("@FakeKafka cannot set " + field + "; take a parameter of type"
          + " FakeCluster instead, or open the package to dev.decant.fake.broker", e);
    }
  }

  /** Restores the former values of the fields, so that nothing keeps the cluster in memory. */
  void restore() {
    synchronized (LOCK) {
      for (Slot slot : filled) {
        try {
          if (slot.field().get(slot.instance()) == cluster) {
            slot.field().set(slot.instance(), slot.before());
          }
        } catch (IllegalAccessException e) {
          throw new ExtensionConfigurationException("@FakeKafka cannot set " + slot.field() + " again", e);
        }
      }
    }
  }

  private static List<Field> of(Class<?> testClass, boolean isStatic) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> type = testClass; type != null && type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (field.getType() == FakeCluster.class && Modifier.isStatic(modifiers) == isStatic
            && !Modifier.isFinal(modifiers) && !field.isSynthetic()) {
          fields.add(field);
        }
      }
    }
    return fields;
  }
}
