//! What an x86-64 division divides by. The processor reports a divisor of zero and a quotient that is too large alike.

/// The divisor of the `div` or `idiv` that `code` begins with; `None` if it is another instruction. `read` fills bytes
/// from an address.
pub fn of(code: &[u8], registers: &libc::user_regs_struct, read: impl Fn(u64, &mut [u8]) -> bool) -> Option<u64> {
    let mut at = 0;
    let mut is_short = false;
    let mut segment_base = 0;
    loop {
        match *code.get(at)? {
            0x66 => is_short = true,
            0x64 => segment_base = registers.fs_base,
            0x65 => segment_base = registers.gs_base,
            0x2e | 0x36 | 0x3e | 0x26 | 0x67 | 0xf2 | 0xf3 => {}
            _ => break,
        }
        at += 1;
    }
    let mut rex = 0;
    if *code.get(at)? & 0xf0 == 0x40 {
        rex = *code.get(at)?;
        at += 1;
    }
    let opcode = *code.get(at)?;
    let modrm = *code.get(at + 1)?;
    let operation = modrm >> 3 & 7;
    if !matches!(opcode, 0xf6 | 0xf7) || !matches!(operation, 6 | 7) {
        return None;
    }
    let size = match opcode {
        0xf6 => 1,
        _ if rex & 8 != 0 => 8,
        _ if is_short => 2,
        _ => 4,
    };
    let (mode, rm) = (modrm >> 6, modrm & 7);
    if mode == 3 {
        let number = rm | (rex & 1) << 3;
        // Without a REX prefix these name the second byte of the first four registers.
        let value = match (size, rex, number) {
            (1, 0, 4..=7) => register(registers, number - 4) >> 8,
            _ => register(registers, number),
        };
        return Some(value & (u64::MAX >> (64 - 8 * size)));
    }
    let address = address(code, at + 1, rex, registers)?.wrapping_add(segment_base);
    let mut bytes = [0; 8];
    read(address, &mut bytes[..size as usize]).then(|| u64::from_le_bytes(bytes))
}

/// The address that the operand at `at` (its ModRM byte) names.
fn address(code: &[u8], at: usize, rex: u8, registers: &libc::user_regs_struct) -> Option<u64> {
    let modrm = *code.get(at)?;
    let (mode, rm) = (modrm >> 6, modrm & 7);
    let mut next = at + 1;
    let mut base = None;
    let mut index = 0;
    if rm == 4 {
        let sib = *code.get(next)?;
        next += 1;
        let number = sib >> 3 & 7 | (rex & 2) << 2;
        if number != 4 {
            index = register(registers, number) << (sib >> 6);
        }
        if sib & 7 != 5 || mode != 0 {
            base = Some(register(registers, sib & 7 | (rex & 1) << 3));
        }
    } else if rm != 5 || mode != 0 {
        base = Some(register(registers, rm | (rex & 1) << 3));
    }
    let n_displacement = match (mode, base) {
        (1, _) => 1,
        (2, _) | (0, None) => 4,
        _ => 0,
    };
    let displacement = match n_displacement {
        0 => 0,
        1 => *code.get(next)? as i8 as i64,
        _ => i64::from(i32::from_le_bytes(code.get(next..next + 4)?.try_into().ok()?)),
    };
    let end = next + n_displacement;
    let is_relative = mode == 0 && rm == 5;
    let base = match base {
        Some(base) => base,
        // The instruction pointer is behind this instruction, which ends with the operand.
        None if is_relative => registers.rip.wrapping_add(end as u64),
        None => 0,
    };
    Some(base.wrapping_add(index).wrapping_add(displacement as u64))
}

fn register(registers: &libc::user_regs_struct, number: u8) -> u64 {
    let r = registers;
    let all =
        [r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15];
    all[usize::from(number & 15)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divisor(code: &[u8]) -> Option<u64> {
        // SAFETY: plain data.
        let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        registers.rcx = 0xffff_ffff_0000_0300;
        registers.r9 = 0x1000;
        registers.rbp = 0x2000;
        registers.rip = 0x100;
        let memory = |address: u64, bytes: &mut [u8]| {
            bytes.fill(match address {
                0x1fec => 7,
                0x1008 => 8,
                0x3006 => 9,
                0x107 => 10,
                _ => return false,
            });
            true
        };
        of(code, &registers, memory)
    }

    #[test]
    fn operands_of_divisions() {
        assert_eq!(divisor(&[0xf7, 0xf9]), Some(0x300)); // idiv ecx
        assert_eq!(divisor(&[0x48, 0xf7, 0xf1]), Some(0xffff_ffff_0000_0300)); // div rcx
        assert_eq!(divisor(&[0xf6, 0xfd]), Some(3)); // idiv ch
        assert_eq!(divisor(&[0x66, 0xf7, 0xf9]), Some(0x300)); // idiv cx
        assert_eq!(divisor(&[0xf7, 0x7d, 0xec]), Some(0x0707_0707)); // idiv dword [rbp - 0x14]
        assert_eq!(divisor(&[0x41, 0xf7, 0x79, 0x08]), Some(0x0808_0808)); // idiv dword [r9 + 8]
        assert_eq!(divisor(&[0x42, 0xf6, 0xbc, 0x0d, 0x06, 0, 0, 0]), Some(9)); // idiv byte [rbp + r9 + 6]
        assert_eq!(divisor(&[0xf6, 0x3d, 0x01, 0, 0, 0]), Some(10)); // idiv byte [rip + 1]
        assert_eq!(divisor(&[0x89, 0xc8]), None);
        assert_eq!(divisor(&[0xf7, 0xd9]), None); // neg ecx
    }
}
