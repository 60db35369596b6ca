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
 * The fields of test classes that hold the cluster of one test or class, and what they held before it. The clusters of
 * tests lie inside those of their classes, so fields get back what they held when the test is over.
 *
 * <p>Tests that run at the same time may share an instance or a static field. A lock guards all fields. A field that
 * holds a cluster of another test is an error: the test would use a cluster that the other one closes.
 */
final class ClusterFields {
  /** Guards the fields of all test classes. */
  private static final Object LOCK = new Object();
  /** All clusters that tests and classes have now. A test itself may have put any other into its field. Guarded. */
  private static final Set<FakeCluster> GIVEN = new HashSet<>();

  private final FakeCluster cluster;
  /** Clusters of classes around the test: a field that holds one of them gets the test's own. */
  private final Set<FakeCluster> around;
  private final List<Slot> filled = new ArrayList<>();

  private record Slot(Field field, @Nullable Object instance, @Nullable FakeCluster before) {}

  /**
   * Fields that are not set yet.
   *
   * @param cluster what they get
   * @param around the clusters of the classes around the test
   */
  ClusterFields(FakeCluster cluster, Set<FakeCluster> around) {
    this.cluster = cluster;
    this.around = around;
  }

  /** A cluster is there that may be put into fields. */
  static void began(FakeCluster cluster) {
    synchronized (LOCK) {
      GIVEN.add(cluster);
    }
  }

  /** The cluster is in no field any more. */
  static void ended(FakeCluster cluster) {
    synchronized (LOCK) {
      GIVEN.remove(cluster);
    }
  }

  /** Tells whether instances of a class have fields that get a cluster. */
  static boolean areIn(Class<?> type) {
    return !of(type, false).isEmpty();
  }

  /**
   * Sets the fields that are null or hold a cluster of a class around the test.
   *
   * @param type the class of the test
   * @param instance whose fields are set; null for the static ones of the class
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

  /** Gives fields back what they held, so that nothing keeps the cluster in memory. */
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
