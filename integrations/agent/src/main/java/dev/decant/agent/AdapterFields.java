package dev.decant.agent;

import dev.decant.agent.asm.ClassWriter;
import dev.decant.agent.asm.MethodVisitor;
import dev.decant.agent.asm.Opcodes;
import dev.decant.agent.asm.Type;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sets private fields of Apache's class in an adapter for agents for tracing, because no constructor of Apache's class
 * has run for it. OpenTelemetry's agent makes no span for a producer without the first three:
 *
 * <pre>
 * KafkaProducer   clientId, producerConfig, apiVersions   as of Apache's producer
 *                 metadata                                has the id of the cluster, and nothing else
 * KafkaConsumer   delegate.metadata                       the same
 * </pre>
 *
 * <p>If the fields cannot be set, they are null, and the client works without them.
 */
final class AdapterFields {
  /** The method of Decant's classes that returns the values of the fields; it is not public. */
  private static final String OF_DECANT = "tracedFields";
  private static final String SOURCE = "source";
  private static final String METADATA = "metadata";
  private static final String DELEGATE = "delegate";
  private static final List<String> OF_PRODUCER = List.of("clientId", "producerConfig", "apiVersions", METADATA);

  private final Class<?> apache;
  private final MethodHandle ofDecant;
  private final Constructor<?> metadata;
  /** Makes the delegate of a consumer; null for a producer. */
  private final @Nullable Constructor<?> delegate;

  private AdapterFields(ClientKind kind, Class<?> apache, Class<?> decant, DecantLoader loader)
      throws ReflectiveOperationException {
    this.apache = apache;
    // It reads no other method: one of them may name a class that this kafka-clients does not have.
    ofDecant = MethodHandles.privateLookupIn(decant, MethodHandles.lookup()).findVirtual(decant, OF_DECANT,
        MethodType.methodType(Map.class));
    Class<?> type = kind == ClientKind.PRODUCER
        ? apache.getDeclaredField(METADATA).getType()
        : Class.forName(apache.getPackageName().replace(".clients.consumer", ".clients.Metadata"), false,
            apache.getClassLoader());
    String prefix = "dev.decant.agent." + kind.simpleName;
    metadata = Adapter.allocation(loader.define(prefix + "Metadata", metadata(prefix + "Metadata", type)));
    delegate = kind == ClientKind.PRODUCER
        ? null
        : Adapter.allocation(loader.define(prefix + "Delegate",
            delegate(prefix + "Delegate", apache.getDeclaredField(DELEGATE).getType(), type)));
  }

  /** Returns null if an adapter cannot have the fields. */
  static @Nullable AdapterFields of(ClientKind kind, Class<?> apache, Class<?> decant, DecantLoader loader) {
    try {
      return VisibleCalls.clientOf(apache) != null ? new AdapterFields(kind, apache, decant, loader) : null;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  /** Returns true for a field of Apache's class that an adapter also has. */
  static boolean isRead(ClientKind kind, String name) {
    return kind == ClientKind.PRODUCER ? OF_PRODUCER.contains(name) : name.equals(DELEGATE);
  }

  /** Sets the fields of an adapter to the values of its client. */
  void fill(Object adapter, Object client) throws Throwable {
    try {
      Map<?, ?> values = (Map<?, ?>) ofDecant.invoke(client);
      Object ofCluster = metadata.newInstance();
      ofCluster.getClass().getField(SOURCE).set(ofCluster, values.get("cluster"));
      if (delegate != null) {
        Object behind = delegate.newInstance();
        behind.getClass().getField(METADATA).set(behind, ofCluster);
        set(adapter, DELEGATE, behind);
        return;
      }
      set(adapter, METADATA, ofCluster);
      for (String name : OF_PRODUCER) {
        if (values.containsKey(name)) {
          set(adapter, name, values.get(name));
        }
      }
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      // The client works without the fields; only agents for tracing see less of it.
    }
  }

  private void set(Object adapter, String name, @Nullable Object value) throws ReflectiveOperationException {
    Field field = apache.getDeclaredField(name);
    field.setAccessible(true);
    field.set(adapter, value);
  }

  /** Returns a class below Apache's metadata whose {@code fetch} returns a supplier's value. */
  private static byte[] metadata(String name, Class<?> parent) throws ReflectiveOperationException {
    ClassWriter type = begin(name, Type.getInternalName(parent));
    type.visitField(Opcodes.ACC_PUBLIC, SOURCE, Supplier.class.descriptorString(), null, null).visitEnd();
    Method fetch = parent.getMethod("fetch");
    MethodVisitor code = type.visitMethod(Opcodes.ACC_PUBLIC, fetch.getName(), Type.getMethodDescriptor(fetch), null,
        null);
    code.visitCode();
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitFieldInsn(Opcodes.GETFIELD, name.replace('.', '/'), SOURCE, Supplier.class.descriptorString());
    code.visitMethodInsn(Opcodes.INVOKEINTERFACE, Type.getInternalName(Supplier.class), "get", "()Ljava/lang/Object;",
        true);
    code.visitTypeInsn(Opcodes.CHECKCAST, Type.getInternalName(fetch.getReturnType()));
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
    type.visitEnd();
    return type.toByteArray();
  }

  /**
   * Returns a delegate class with metadata and without methods: an adapter calls Decant's client instead of a delegate.
   */
  private static byte[] delegate(String name, Class<?> delegate, Class<?> metadata) {
    ClassWriter type = begin(name, Type.getInternalName(Object.class), Type.getInternalName(delegate));
    type.visitField(Opcodes.ACC_PUBLIC, METADATA, metadata.descriptorString(), null, null).visitEnd();
    type.visitEnd();
    return type.toByteArray();
  }

  private static ClassWriter begin(String name, String parent, String... interfaces) {
    ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    type.visit(Opcodes.V21, Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC,
        name.replace('.', '/'), null, parent, interfaces);
    return type;
  }
}
