package dev.decant.agent;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The places of a method that construct a client of Apache's, by the index of the code element.
 *
 * <p>Compilers write {@code new}, {@code dup}, the arguments, {@code invokespecial <init>}. Some leave out {@code dup}
 * where the object is not used. An object of another {@code new} among the arguments is complete before the outer one,
 * so that constructors meet their {@code new} in reverse order.
 */
final class ConstructionPlan {
  /** Said of a class whose code is written in another way. */
  static final String UNUSUAL_CODE = "its code constructs the client in a way that the agent does not know";

  /** What follows a {@code new} of a client. */
  private record Opened(int index, ClientKind kind, boolean duplicated) {}

  /** Indexes of {@code new}. */
  private final Map<Integer, ClientKind> news = new HashMap<>();
  /** Indexes of constructor calls, and whether the object stays on the stack. */
  private final Map<Integer, Boolean> calls = new HashMap<>();
  private boolean handles;

  private ConstructionPlan() {}

  /**
   * Looks at a method.
   *
   * @throws UnknownCodeException if it constructs a client in an unknown way
   */
  static ConstructionPlan of(CodeModel code) throws UnknownCodeException {
    ConstructionPlan plan = new ConstructionPlan();
    List<CodeElement> elements = code.elementList();
    Deque<Opened> open = new ArrayDeque<>();
    for (int i = 0; i < elements.size(); i++) {
      CodeElement element = elements.get(i);
      if (element instanceof NewObjectInstruction created) {
        Optional<ClientKind> kind = ClientKind.of(created.className().asInternalName());
        if (kind.isPresent()) {
          open.push(new Opened(i, kind.get(), isDuplicate(elements, i + 1)));
        }
      } else if (element instanceof InvokeInstruction call && isConstructor(call)) {
        plan.close(open, i, call);
      } else if (hasConstructorHandle(element)) {
        plan.handles = true;
      }
    }
    if (!open.isEmpty()) {
      throw new UnknownCodeException();
    }
    return plan;
  }

  private void close(Deque<Opened> open, int index, InvokeInstruction call) throws UnknownCodeException {
    Opened opened = open.poll();
    if (opened == null || !opened.kind.internalName.equals(call.owner().asInternalName())) {
      throw new UnknownCodeException();
    }
    news.put(opened.index, opened.kind);
    calls.put(index, opened.duplicated);
  }

  /** Whether the object is there twice; an instruction that takes it elsewhere is unknown. */
  private static boolean isDuplicate(List<CodeElement> elements, int from) throws UnknownCodeException {
    boolean duplicate = false;
    for (int i = from; i < elements.size(); i++) {
      if (elements.get(i) instanceof Instruction next) {
        boolean dup = next.opcode() == Opcode.DUP && !duplicate;
        if (!dup && (next instanceof StackInstruction || next instanceof StoreInstruction)) {
          throw new UnknownCodeException();
        }
        if (!dup) {
          return duplicate;
        }
        duplicate = true;
      }
    }
    throw new UnknownCodeException();
  }

  /** Whether an instruction runs a constructor of Apache's class. */
  static boolean isConstructor(InvokeInstruction call) {
    return call.opcode() == Opcode.INVOKESPECIAL && call.name().equalsString("<init>")
        && ClientKind.of(call.owner().asInternalName()).isPresent();
  }

  private static boolean hasConstructorHandle(CodeElement element) {
    return switch (element) {
      case InvokeDynamicInstruction dynamic -> dynamic.bootstrapArgs().stream()
          .anyMatch(ConstructionPlan::isConstructorHandle);
      case ConstantInstruction.LoadConstantInstruction constant -> isConstructorHandle(constant.constantValue());
      default -> false;
    };
  }

  /** Whether a constant is a handle of a constructor of Apache's class, as in {@code KafkaProducer::new}. */
  static boolean isConstructorHandle(ConstantDesc constant) {
    return constant instanceof DirectMethodHandleDesc handle
        && handle.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR && isApache(handle.owner());
  }

  private static boolean isApache(ClassDesc type) {
    for (ClientKind kind : ClientKind.values()) {
      if (kind.isApache(type)) {
        return true;
      }
    }
    return false;
  }

  boolean isEmpty() {
    return news.isEmpty() && !handles;
  }

  boolean isNew(int index) {
    return news.containsKey(index);
  }

  boolean isCall(int index) {
    return calls.containsKey(index);
  }

  /** Whether the object of a constructor call is used afterwards. */
  boolean isUsed(int index) {
    return calls.getOrDefault(index, false);
  }

  /** A class constructs a client in a way that the plan does not know. */
  static final class UnknownCodeException extends Exception {
    private static final long serialVersionUID = 1;

    UnknownCodeException() {
      super(UNUSUAL_CODE);
    }
  }
}
